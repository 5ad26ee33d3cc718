//! `use: name`: steps that are written once in site.yaml.

use super::fields::Fields;
use super::model::Step;
use super::nearest::nearest;
use super::steps::Walk;
use super::yaml::Node;

impl<'a> Walk<'a> {
    /// `use: name`: the shared steps, as if they stood here.
    pub(super) fn use_steps(&mut self, fields: &Fields<'a>, name_node: &'a Node, steps: &mut Vec<Step>) {
        for key in fields.present(&["optional", "timeout"]) {
            self.file.not_supported(fields.key_span(key), &format!("{key} of use"));
        }
        if fields.get("commit").is_some() {
            let cure = "put `commit: true` at the step itself";
            self.file.wrong(fields.key_span("commit"), "`use` stands for several steps", cure);
        }
        let when = fields.get("when").map(|when| self.here().condition(when)).unwrap_or_default();
        let Some(name) = self.file.words(name_node) else { return };
        if self.using.iter().any(|open| open == name) {
            let chain = format!("{} → {name}", self.using.join(" → "));
            self.file.wrong(name_node.span.clone(), format!("these steps use themselves: {chain}"), "break the circle");
            return;
        }
        let Some(shared) = self.shared(name, name_node) else { return self.expect_any_name() };
        let outer = (self.file, self.condition.clone());
        self.file = self.site.file;
        self.condition = match (self.condition.take(), when) {
            (Some(around), Some(own)) => Some(around.and(own)),
            (around, own) => around.or(own),
        };
        self.using.push(name.to_owned());
        steps.extend(self.steps(shared));
        self.using.pop();
        (self.file, self.condition) = outer;
        let reads = self.read_all(fields);
        if let Some(last) = steps.last_mut() {
            last.reads.extend(reads);
        }
    }

    fn shared(&self, name: &str, node: &Node) -> Option<&'a Node> {
        let found = match name {
            "points" => self.site.points,
            _ => self.site.shared.get(name).copied(),
        };
        if found.is_none() && self.site.sound {
            let known = self.site.shared.keys().map(String::as_str).chain(self.site.points.map(|_| "points"));
            let cure = match nearest(name, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if name == "points" => "write `points: { steps: … }` into site.yaml".to_owned(),
                None => format!("write it under `shared:` in site.yaml, or use one of: {}", listed(known)),
            };
            self.file.wrong(node.span.clone(), format!("site.yaml has no steps named `{name}`"), cure);
        }
        found
    }
}

fn listed<'k>(names: impl Iterator<Item = &'k str>) -> String {
    let all: Vec<_> = names.collect();
    if all.is_empty() { "(none)".to_owned() } else { all.join(", ") }
}
