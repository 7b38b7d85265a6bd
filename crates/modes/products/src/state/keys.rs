//! What platforms call the fields of a product.

/// What a member of an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
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
    /// A number of pieces.
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

/// The key of a member's name.
pub(super) fn key(name: &str) -> Option<Key> {
    if name.len() > 40 {
        return None;
    }
    let squeezed: String = name
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    Some(match squeezed.as_str() {
        "name" | "title" | "productname" | "producttitle" | "displayname" | "itemname" => Key::Name,
        "url" | "handle" | "slug" | "link" | "producturl" | "urlkey" | "canonicalurl"
        | "permalink" | "path" | "canonical" => Key::Url,
        "sku" | "articlenumber" | "productnumber" | "reference" | "itemnumber" | "productcode"
        | "articleno" | "ordernumber" | "itemno" | "productsku" | "articleid" => Key::Sku,
        "mpn"
        | "manufacturerpartnumber"
        | "partnumber"
        | "manufacturernumber"
        | "suppliernumber"
        | "manufacturersku" => Key::Mpn,
        "gtin" | "gtin8" | "gtin12" | "gtin13" | "gtin14" | "ean" | "ean13" | "upc" | "barcode"
        | "isbn" | "eancode" | "jan" => Key::Gtin,
        "brand" | "vendor" | "manufacturer" | "manufacturername" | "brandname" | "itembrand"
        | "productbrand" => Key::Brand,
        "category" | "categoryname" | "producttype" | "itemcategory" | "productcategory" => {
            Key::Category
        }
        "description" | "descriptionhtml" | "bodyhtml" | "longdescription"
        | "productdescription" | "fulldescription" | "content" => Key::Description,
        "shortdescription" | "descriptionshort" | "summary" | "excerpt" => Key::ShortDescription,
        "price" | "currentprice" | "saleprice" | "finalprice" | "priceamount" | "sellingprice"
        | "displayprice" | "offerprice" | "actualprice" | "pricevalue" | "unitprice"
        | "calculatedprice" | "prices" | "nowprice" | "specialprice" => Key::Price,
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
        | "pricebefore" => Key::RegularPrice,
        "currency" | "currencycode" | "pricecurrency" | "currencyiso" | "isocode" => Key::Currency,
        "availability" | "available" | "instock" | "isinstock" | "isavailable" | "stockstatus"
        | "availableforsale" | "purchasable" | "availabilitystatus" | "stocklabel" => {
            Key::Availability
        }
        "quantity" | "stock" | "availablestock" | "stockquantity" | "inventoryquantity"
        | "quantityavailable" | "qty" => Key::Quantity,
        "images" | "image" | "gallery" | "media" | "pictures" | "photos" | "featuredimage"
        | "cover" | "imageurl" | "imageurls" => Key::Images,
        "breadcrumbs" | "breadcrumb" => Key::Breadcrumbs,
        "attributes"
        | "specifications"
        | "specs"
        | "features"
        | "productattributes"
        | "properties"
        | "specificationgroups"
        | "technicaldata" => Key::Attributes,
        "highlights" | "bulletpoints" | "keyfeatures" | "bullets" | "benefits" => Key::Features,
        "rating" | "aggregaterating" | "reviewsummary" | "ratings" | "reviews" => Key::Rating,
        "variants" | "variations" | "skus" | "productvariants" | "combinations" | "children"
        | "variantlist" => Key::Variants,
        "options" | "productoptions" | "optionnames" => Key::Options,
        "condition" | "itemcondition" => Key::Condition,
        _ => return None,
    })
}
