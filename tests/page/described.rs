//! `docs/openapi.yaml` against the server: every address of one is in the other, and the answers are as it says.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;

use crate::lab::{Lab, Reply};

fn description() -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.yaml");
    serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).expect("docs/openapi.yaml is YAML")
}

/// Method, path, and what is said of it.
fn operations(description: &Json) -> Vec<(String, String, Json)> {
    let paths = description["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, methods)| {
        methods
            .as_object()
            .unwrap()
            .iter()
            .map(move |(method, said)| (method.to_uppercase(), path.clone(), said.clone()))
    });
    operations.collect()
}

#[test]
fn it_names_the_addresses_that_there_are_and_no_others() {
    let described: BTreeSet<(String, String)> =
        operations(&description()).into_iter().map(|(method, path, _)| (method, path)).collect();
    let routes = sunup::serve::http::routes().into_iter();
    let routes: BTreeSet<(String, String)> =
        routes.map(|(method, path)| (method.to_string(), path.to_owned())).collect();
    assert_eq!(described, routes);
}

#[tokio::test]
async fn every_answer_is_as_described() {
    for lab in [Lab::filled().await, Lab::fresh().await] {
        let description = description();
        let fits = |reply: &Reply, said: &Json, what: &str| answer_fits(&description, reply, said, what);
        for (method, path, said) in operations(&description) {
            let address = filled_in(&path, &said, &lab);
            let locked = lab.send(&format!("{method} {address}"), &[], "").await;
            let open = said["security"].as_array().is_some_and(Vec::is_empty);
            assert_eq!(locked.status == 401, !open, "{method} {path}: `security`");
            fits(&locked, &said, &format!("{method} {path}, locked"));
            let body = said.pointer("/requestBody/content/application~1json/example").map(Json::to_string);
            let reply = match method.as_str() {
                "POST" => lab.post(&address, &body.unwrap_or_default()).await,
                _ => lab.ask(&filled_in(&path, &said, &lab)).await,
            };
            fits(&reply, &said, &format!("{method} {path}"));
        }
    }
}

/// The path with the examples of its parameters.
fn filled_in(path: &str, said: &Json, lab: &Lab) -> String {
    let mut address = path.to_owned();
    for parameter in said["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap();
        let example = match &parameter["example"] {
            Json::String(text) if text == "LINK" => lab.link().rsplit('/').next().unwrap().to_owned(),
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        match parameter["in"].as_str() {
            Some("query") => address.push_str(&format!("?{name}={example}")),
            _ => address = address.replace(&format!("{{{name}}}"), &example),
        }
    }
    address
}

fn answer_fits(description: &Json, reply: &Reply, said: &Json, what: &str) {
    let status = reply.status.to_string();
    let answers = &said["responses"];
    let answer = answers.get(&status).or_else(|| answers.get("default")).unwrap_or_else(|| panic!("{what}: {status}"));
    let answer = resolved(description, answer);
    if answers.get(&status).is_none() {
        let listed = answer["description"].as_str().unwrap();
        assert!(listed.contains(&status), "{what}: {status} is not described");
    }
    let Some(kinds) = answer["content"].as_object() else { return assert_eq!(reply.body, "", "{what}") };
    let kind = reply.header("content-type").unwrap().split(';').next().unwrap();
    let content = kinds.get(kind).unwrap_or_else(|| panic!("{what}: {status} is {kind}"));
    if kind.ends_with("json") {
        fits(description, &content["schema"], &reply.json(), what);
    }
}

fn resolved<'d>(description: &'d Json, value: &'d Json) -> &'d Json {
    match value["$ref"].as_str() {
        Some(reference) => description.pointer(&reference[1..]).unwrap_or_else(|| panic!("{reference} leads nowhere")),
        None => value,
    }
}

/// As much of JSON Schema as the description uses.
fn fits(description: &Json, schema: &Json, value: &Json, place: &str) {
    let schema = resolved(description, schema);
    let kind = match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    };
    let allowed = match &schema["type"] {
        Json::Array(kinds) => kinds.iter().any(|one| one == kind),
        one => one == kind,
    };
    assert!(allowed, "{place}: {value} is no {}", schema["type"]);
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{place}: {value} is not one of {words:?}");
    }
    if let (Some(format), Some(text)) = (schema["format"].as_str(), value.as_str()) {
        let good = match format {
            "date" => text.parse::<chrono::NaiveDate>().is_ok(),
            "date-time" => chrono::DateTime::parse_from_rfc3339(text).is_ok() && text.ends_with('Z'),
            other => panic!("the check knows no format {other}"),
        };
        assert!(good, "{place}: {text} is no {format}");
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(description, &schema["items"], item, &format!("{place}[{number}]"));
    }
    let Some(fields) = value.as_object() else { return };
    let names: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let missing: Vec<&&str> = names.iter().filter(|name| !fields.contains_key(**name)).collect();
    assert!(missing.is_empty(), "{place}: no {missing:?}");
    for (name, field) in fields {
        match schema["properties"].get(name) {
            Some(schema) => fits(description, schema, field, &format!("{place}.{name}")),
            None => assert!(schema["additionalProperties"] != false, "{place}: `{name}` is not described"),
        }
    }
}
