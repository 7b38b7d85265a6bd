//! The names that shop platforms use for the members of product objects.

/// The meaning of a member of a product object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKey {
    Name,
    Url,
    Sku,
    Mpn,
    Gtin,
    Brand,
    Category,
    Description,
    ShortDescription,
    Price,
    RegularPrice,
    Currency,
    Availability,
    /// The number of items in stock.
    Quantity,
    Images,
    Breadcrumbs,
    Attributes,
    Features,
    Rating,
    Variants,
    Options,
    Condition,
}

/// The meaning of a member name; letter case and punctuation do not count.
pub(super) fn key(name: &str) -> Option<ObjectKey> {
    if name.len() > 40 {
        return None;
    }
    Some(match squeezed(name).as_str() {
        "name" | "title" | "productname" | "producttitle" | "displayname" | "itemname" => {
            ObjectKey::Name
        }
        "url" | "handle" | "slug" | "link" | "producturl" | "urlkey" | "canonicalurl"
        | "permalink" | "path" | "canonical" => ObjectKey::Url,
        "sku" | "articlenumber" | "productnumber" | "reference" | "itemnumber" | "productcode"
        | "articleno" | "ordernumber" | "itemno" | "productsku" | "articleid" => ObjectKey::Sku,
        "mpn"
        | "manufacturerpartnumber"
        | "partnumber"
        | "manufacturernumber"
        | "suppliernumber"
        | "manufacturersku" => ObjectKey::Mpn,
        "gtin" | "gtin8" | "gtin12" | "gtin13" | "gtin14" | "ean" | "ean13" | "upc" | "barcode"
        | "isbn" | "eancode" | "jan" => ObjectKey::Gtin,
        "brand" | "vendor" | "manufacturer" | "manufacturername" | "brandname" | "itembrand"
        | "productbrand" => ObjectKey::Brand,
        "category" | "categoryname" | "producttype" | "itemcategory" | "productcategory" => {
            ObjectKey::Category
        }
        "description" | "descriptionhtml" | "bodyhtml" | "longdescription"
        | "productdescription" | "fulldescription" | "content" => ObjectKey::Description,
        "shortdescription" | "descriptionshort" | "summary" | "excerpt" => {
            ObjectKey::ShortDescription
        }
        "price" | "currentprice" | "saleprice" | "finalprice" | "priceamount" | "sellingprice"
        | "displayprice" | "offerprice" | "actualprice" | "pricevalue" | "unitprice"
        | "calculatedprice" | "prices" | "nowprice" | "specialprice" => ObjectKey::Price,
        "compareatprice"
        | "regularprice"
        | "listprice"
        | "originalprice"
        | "oldprice"
        | "wasprice"
        | "displayregularprice"
        | "strikeprice"
        | "pricewithoutreduction"
        | "rrp"
        | "msrp"
        | "baseprice"
        | "retailprice"
        | "priceold"
        | "pricebefore" => ObjectKey::RegularPrice,
        "currency" | "currencycode" | "pricecurrency" | "currencyiso" | "isocode" => {
            ObjectKey::Currency
        }
        "availability" | "available" | "instock" | "isinstock" | "isavailable" | "stockstatus"
        | "availableforsale" | "purchasable" | "availabilitystatus" | "stocklabel" => {
            ObjectKey::Availability
        }
        "quantity" | "stock" | "availablestock" | "stockquantity" | "inventoryquantity"
        | "quantityavailable" | "qty" => ObjectKey::Quantity,
        "images" | "image" | "gallery" | "media" | "pictures" | "photos" | "featuredimage"
        | "cover" | "imageurl" | "imageurls" => ObjectKey::Images,
        "breadcrumbs" | "breadcrumb" => ObjectKey::Breadcrumbs,
        "attributes"
        | "specifications"
        | "specs"
        | "features"
        | "productattributes"
        | "properties"
        | "specificationgroups"
        | "technicaldata" => ObjectKey::Attributes,
        "highlights" | "bulletpoints" | "keyfeatures" | "bullets" | "benefits" => {
            ObjectKey::Features
        }
        "rating" | "aggregaterating" | "reviewsummary" | "ratings" | "reviews" => ObjectKey::Rating,
        "variants" | "variations" | "skus" | "productvariants" | "combinations" | "children"
        | "variantlist" => ObjectKey::Variants,
        "options" | "productoptions" | "optionnames" => ObjectKey::Options,
        "condition" | "itemcondition" => ObjectKey::Condition,
        _ => return None,
    })
}

/// The first 40 ASCII letters and digits of a name, in lower case.
pub(super) fn squeezed(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_ascii_alphanumeric());
    letters.map(|letter| letter.to_ascii_lowercase()).take(40).collect()
}
