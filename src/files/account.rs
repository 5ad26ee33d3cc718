//! Accounts of a site, and where their secrets come from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::condition::{Names, Shape, Type};
use super::fields::Fields;
use super::file::File;
use super::model::{Account, SecretSource, TextSource};
use super::yaml::{Node, NodeKind};

impl File {
    /// `accounts:` of a site, in the order written.
    pub fn accounts(&self, node: &Node) -> Option<Vec<Account>> {
        let entries = self.map(node, "map of accounts")?;
        if entries.is_empty() {
            let cure = "write one: `main: { username: { env: SITE_USER }, password: { env: SITE_PASSWORD } }`";
            self.wrong(node.span.clone(), "there is no account here", cure);
            return None;
        }
        let mut accounts: Vec<Account> = Vec::new();
        let mut sound = true;
        for entry in entries {
            sound &= self.id(&entry.key, &entry.key_span, "an account");
            let Some(account) = self.account(&entry.key, &entry.value) else {
                sound = false;
                continue;
            };
            if let Some(other) = accounts.iter().find(|other| other.username == account.username) {
                let span = entry.value.find("username").map_or(entry.key_span.clone(), |node| node.span.clone());
                let message = format!("`{}` has the username of `{}`", account.id, other.id);
                self.wrong(span, message, "one login is one account: remove one, or give it its own username");
            }
            accounts.push(account);
        }
        sound.then_some(accounts)
    }

    fn account(&self, id: &str, node: &Node) -> Option<Account> {
        let fields = Fields::of(self, node, "account", &[&["username", "password", "vars"]])?;
        let username = fields.need("username", "username: { env: SITE_USER }").and_then(|node| self.text_source(node));
        let password = match fields.get("password") {
            Some(node) => Some(self.secret(node)?),
            None => None,
        };
        let mut vars = BTreeMap::new();
        let entries = fields.get("vars").and_then(|node| self.map(node, "map of vars"));
        for entry in entries.unwrap_or_default() {
            if self.id(&entry.key, &entry.key_span, "a var") {
                vars.insert(entry.key.clone(), self.scalar(&entry.value)?.to_owned());
            }
        }
        Some(Account { id: id.to_owned(), username: username?, password, vars })
    }

    /// A text, or where it comes from.
    pub fn text_source(&self, node: &Node) -> Option<TextSource> {
        match &node.kind {
            NodeKind::Map(_) => self.secret(node).map(TextSource::Secret),
            _ => self.words(node).map(|text| TextSource::Plain(text.to_owned())),
        }
    }

    /// `{ env }`, `{ file }`, `{ command }` or `{ credential }`.
    pub fn secret(&self, node: &Node) -> Option<SecretSource> {
        if let NodeKind::Scalar { .. } = node.kind {
            let cure =
                "say where it comes from: { env: NAME }, { file: path }, { command: [..] } or { credential: name }";
            self.wrong(node.span.clone(), "a secret is never written into these files", cure);
            return None;
        }
        let keys = ["env", "file", "command", "credential"];
        let fields = Fields::of(self, node, "secret", &[&keys])?;
        let present = fields.present(&keys);
        let [key] = present.as_slice() else {
            let cure = "write one of { env: NAME }, { file: path }, { command: [..] }, { credential: name }";
            self.wrong(node.span.clone(), "a secret comes from exactly one place", cure);
            return None;
        };
        let value = fields.get(key)?;
        match *key {
            "env" => self.env_name(value).map(SecretSource::Env),
            "file" => self.words(value).map(|path| SecretSource::File(PathBuf::from(path))),
            "credential" => self.credential(value).map(SecretSource::Credential),
            _ => self.command(value).map(SecretSource::Command),
        }
    }

    fn env_name(&self, node: &Node) -> Option<String> {
        let name = self.words(node)?;
        let good = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|first: char| first.is_ascii_digit());
        if !good {
            let cure = "write A-Z, 0-9 and _, such as SITE_PASSWORD, without `$`";
            // It is not repeated: it may be the secret itself.
            self.wrong(node.span.clone(), "this is not the name of an environment variable", cure);
        }
        good.then(|| name.to_owned())
    }

    fn credential(&self, node: &Node) -> Option<String> {
        let name = self.words(node)?;
        if name.contains('/') || name.starts_with('.') {
            let cure = "write the name of LoadCredential= alone, without a path";
            self.wrong(node.span.clone(), "this is not the name of a systemd credential", cure);
            return None;
        }
        Some(name.to_owned())
    }

    fn command(&self, node: &Node) -> Option<Vec<String>> {
        let items = self.list(node, "a command")?;
        let words: Vec<_> = items.iter().map(|item| self.scalar(item).map(str::to_owned)).collect();
        let words: Vec<String> = words.into_iter().collect::<Option<_>>()?;
        if words.first().is_none_or(|program| program.trim().is_empty()) {
            let cure = "write the program and its arguments: [pass, show, community]";
            self.wrong(node.span.clone(), "this command has no program", cure);
            return None;
        }
        Some(words)
    }
}

/// Adds `account.…` for steps that are done for all of these accounts: a var counts only when each of them has it.
pub(super) fn add_names(names: &mut Names, accounts: Option<&[&Account]>) {
    names.add("account.id", Shape::of(Type::Text));
    names.add("account.username", Shape::of(Type::Text));
    let Some(accounts) = accounts else {
        names.add_unknown("account.vars.");
        return;
    };
    let Some((first, others)) = accounts.split_first() else { return };
    for var in first.vars.keys().filter(|var| others.iter().all(|other| other.vars.contains_key(*var))) {
        names.add(format!("account.vars.{var}"), Shape::of(Type::Text));
    }
}
