//! The request of an operation as a curl line.

use crate::openapi_document::ApiOperation;

/// A curl line of an operation with the example body. `TRAWL_URL` and `TRAWL_KEY` are variables of
/// the shell, as in the quick starts.
pub(crate) fn curl(operation: &ApiOperation) -> String {
    let mut line = "curl -sS".to_owned();
    if !matches!((operation.method.as_str(), operation.has_body), ("GET", _) | ("POST", true)) {
        line.push_str(&format!(" -X {}", operation.method));
    }
    let path = operation.parameters.iter().filter(|parameter| parameter.place == "path").fold(
        operation.path.clone(),
        |path, parameter| match &parameter.example {
            Some(example) => path.replace(&format!("{{{}}}", parameter.name), example),
            None => path,
        },
    );
    line.push_str(&format!(" \"$TRAWL_URL{path}\""));
    if operation.is_secured {
        line.push_str(" \\\n  -H \"Authorization: Bearer $TRAWL_KEY\"");
    }
    if let Some(body) = &operation.json_body {
        line.push_str(" \\\n  -H \"Content-Type: application/json\"");
        line.push_str(&format!(" \\\n  -d '{}'", body.replace('\'', "'\\''")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curl_line_has_method_credential_and_quoted_body() {
        let operation = ApiOperation {
            id: "change_it".to_owned(),
            method: "PATCH".to_owned(),
            path: "/v1/it/{id}".to_owned(),
            summary: String::new(),
            is_secured: true,
            parameters: Vec::new(),
            has_body: true,
            json_body: Some("{\"a\": \"it's\"}".to_owned()),
        };
        assert_eq!(
            curl(&operation),
            "curl -sS -X PATCH \"$TRAWL_URL/v1/it/{id}\" \\\n  -H \"Authorization: Bearer $TRAWL_KEY\" \
             \\\n  -H \"Content-Type: application/json\" \\\n  -d '{\"a\": \"it'\\''s\"}'"
        );
    }
}
