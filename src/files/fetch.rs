//! `fetch` and its modifiers.

use super::fields::Fields;
use super::here::Here;
use super::locator::or_default;
use super::model::{Fetch, FetchBody, JsonTemplate};
use super::read::is_header_name;
use super::scalars::looks_like_number;
use super::steps::Walk;
use super::yaml::{Node, NodeKind};

const METHODS: [(&str, &str); 6] =
    [("GET", "GET"), ("HEAD", "HEAD"), ("POST", "POST"), ("PUT", "PUT"), ("PATCH", "PATCH"), ("DELETE", "DELETE")];

impl<'a> Walk<'a> {
    /// A request from a document of its origin.
    pub(super) fn fetch(&mut self, fields: &Fields<'a>, node: &'a Node, commit: bool) -> Option<Fetch> {
        let path = self.path(node);
        let method = or_default(fields.get("method").map(|method| self.file.one_of(method, &METHODS)), "GET");
        let query = or_default(fields.get("query").map(|query| self.pairs(query, "query")), Vec::new());
        let headers = or_default(fields.get("headers").map(|headers| self.headers(headers)), Vec::new());
        let accept = or_default(fields.get("accept").map(|accept| self.accept(accept)), (200..300).collect());
        let safe = or_default(fields.get("safe").map(|safe| self.file.boolean(safe)), false);
        let body = self.body(fields);
        let method = method?;
        self.check_effect(fields, method, safe?, commit);
        if matches!(method, "GET" | "HEAD") && !fields.present(&["form", "json"]).is_empty() {
            let key = fields.present(&["form", "json"])[0];
            let cure = "write `method: POST`, or `query` instead";
            self.file.wrong(fields.key_span(key), format!("a {method} sends no body"), cure);
        }
        Some(Fetch {
            path: path?,
            method: method.to_owned(),
            query: query?,
            body: body?,
            headers: headers?,
            accept: accept?,
        })
    }

    /// A request other than GET counts as an effect: not where only reads are allowed, and not before the commit step.
    fn check_effect(&self, fields: &Fields<'_>, method: &str, safe: bool, commit: bool) {
        if safe && method != "POST" {
            let cure = "leave `safe` out";
            self.file.wrong(fields.key_span("safe"), "`safe` is for a POST that only reads", cure);
        }
        if safe && commit {
            let cure = "take one of them out";
            self.file.wrong(fields.key_span("safe"), "a step that only reads commits nothing", cure);
        }
        if matches!(method, "GET" | "HEAD") || (safe && method == "POST") {
            return;
        }
        let span = fields.key_span("method");
        if self.stage.only_reads() {
            let message = format!("a {method} may change something, and `{}` only reads", self.stage.word());
            self.file.wrong(span, message, "write `safe: true` if this POST only reads, or move it to `act`");
        } else if self.stage.has_one_commit() && !commit && !self.committed {
            let message = format!("a {method} before the commit step may change something twice");
            self.file.wrong(span, message, "make it the commit step, or write `safe: true` if this POST only reads");
        }
    }

    fn headers(&self, node: &Node) -> Option<Vec<(String, super::condition::Template)>> {
        let mut sound = true;
        for entry in node.entries().unwrap_or_default() {
            if !is_header_name(&entry.key) {
                let message = format!("`{}` cannot be the name of a header", entry.key);
                self.file.wrong(entry.key_span.clone(), message, "write a name such as X-Requested-With");
                sound = false;
            }
        }
        let pairs = self.pairs(node, "map of headers");
        if sound { pairs } else { None }
    }

    fn accept(&self, node: &Node) -> Option<Vec<u16>> {
        let items = self.file.list(node, "accept")?;
        if items.is_empty() {
            self.file.wrong(node.span.clone(), "no status at all is an answer", "write those that are: `[200, 401]`");
            return None;
        }
        let statuses: Vec<_> = items.iter().map(|item| self.file.whole(item, 100..=599)).collect();
        statuses.into_iter().collect()
    }

    fn body(&self, fields: &Fields<'_>) -> Option<FetchBody> {
        match (fields.get("form"), fields.get("json")) {
            (Some(_), Some(_)) => {
                self.file.wrong(fields.key_span("json"), "a request has one body", "keep `form` or `json`");
                None
            }
            (Some(form), None) => self.pairs(form, "form").map(FetchBody::Form),
            (None, Some(json)) => self.here().json(json).map(FetchBody::Json),
            (None, None) => Some(FetchBody::Empty),
        }
    }
}

impl Here<'_> {
    /// JSON whose texts are templates. Numbers keep their digits.
    fn json(&self, node: &Node) -> Option<JsonTemplate> {
        match &node.kind {
            NodeKind::Refused => None,
            NodeKind::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.json(item)).collect();
                items.into_iter().collect::<Option<_>>().map(JsonTemplate::List)
            }
            NodeKind::Map(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|entry| self.json(&entry.value).map(|value| (entry.key.clone(), value)))
                    .collect();
                entries.into_iter().collect::<Option<_>>().map(JsonTemplate::Map)
            }
            NodeKind::Scalar { text, plain: true } => match text.as_str() {
                "null" => Some(JsonTemplate::Null),
                "true" | "false" => Some(JsonTemplate::Boolean(text == "true")),
                number if looks_like_number(number) => self.json_number(node, number),
                _ => self.template(node).map(JsonTemplate::Text),
            },
            NodeKind::Scalar { text, .. } if text.is_empty() => {
                Some(JsonTemplate::Text(super::condition::Template::literal("")))
            }
            NodeKind::Scalar { .. } => self.value_template(node).map(JsonTemplate::Text),
        }
    }

    fn json_number(&self, node: &Node, text: &str) -> Option<JsonTemplate> {
        let digits = text.trim_start_matches('-');
        let leading_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        match text.parse() {
            Ok(number) if !leading_zero && !text.starts_with('+') && !digits.starts_with('.') => {
                Some(JsonTemplate::Number(number))
            }
            _ => {
                let cure = format!("quote this value: \"{text}\"");
                self.file.wrong(node.span.clone(), format!("`{text}` would lose its form as a number"), cure);
                None
            }
        }
    }
}
