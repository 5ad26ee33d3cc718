//! The words of the product in each language. The texts are in `words/*.ftl`.

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::langid;

use super::RenderError;
use crate::files::model::Language;

/// The report's and the command line's, then those of the status page.
const CHINESE: [&str; 2] = [include_str!("words/zh-CN.ftl"), include_str!("words/page.zh-CN.ftl")];
const ENGLISH: [&str; 2] = [include_str!("words/en.ftl"), include_str!("words/page.en.ftl")];

/// All words in one language.
pub struct Words {
    bundle: FluentBundle<FluentResource>,
    language: Language,
}

impl Words {
    /// The words of this language.
    pub fn new(language: Language) -> Result<Words, RenderError> {
        let (tag, sources) = match language {
            Language::Chinese => (langid!("zh-CN"), CHINESE),
            Language::English => (langid!("en"), ENGLISH),
        };
        let mut bundle = FluentBundle::new_concurrent(vec![tag.clone()]);
        // Isolation marks around arguments would be seen as boxes in mails.
        bundle.set_use_isolating(false);
        for source in sources {
            let resource = FluentResource::try_new(source.to_owned())
                .map_err(|(_, faults)| RenderError::Words(format!("{tag}.ftl: {faults:?}")))?;
            bundle.add_resource(resource).map_err(|faults| RenderError::Words(format!("{faults:?}")))?;
        }
        Ok(Words { bundle, language })
    }

    /// The language tag.
    pub fn tag(&self) -> &'static str {
        match self.language {
            Language::Chinese => "zh-CN",
            Language::English => "en",
        }
    }

    /// The words for this key, without arguments; the key itself where there are none.
    pub fn get(&self, key: &str) -> String {
        self.with(key, &[])
    }

    /// The words for this key with arguments; the key itself where there are none, so that a hole is seen and nothing
    /// is lost.
    pub fn with(&self, key: &str, args: &[(&'static str, FluentValue<'_>)]) -> String {
        self.find(key, args).unwrap_or_else(|| key.to_owned())
    }

    /// The words for this key, where there are any.
    pub fn find(&self, key: &str, args: &[(&'static str, FluentValue<'_>)]) -> Option<String> {
        let pattern = self.bundle.get_message(key)?.value()?;
        let args: FluentArgs<'_> = args.iter().cloned().collect();
        let mut faults = Vec::new();
        let text = self.bundle.format_pattern(pattern, Some(&args), &mut faults).into_owned();
        faults.is_empty().then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::run::{FailureKind, Policy, Status};

    /// Key and the names of its arguments, for every message of a file.
    fn messages(source: &str) -> BTreeMap<String, Vec<String>> {
        let argument = regex::Regex::new(r"\{ *\$([a-z]+)").unwrap();
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut key = String::new();
        for line in source.lines() {
            if let Some((name, _)) =
                line.split_once(" =").filter(|_| line.starts_with(|first: char| first.is_ascii_lowercase()))
            {
                key = name.to_owned();
                assert!(found.insert(key.clone(), Vec::new()).is_none(), "{key} stands twice");
            }
            for captures in argument.captures_iter(line) {
                let names = found.get_mut(&key).unwrap();
                names.push(captures[1].to_owned());
                names.sort();
                names.dedup();
            }
        }
        found
    }

    fn both() -> [Words; 2] {
        [Language::Chinese, Language::English].map(|language| Words::new(language).unwrap())
    }

    #[test]
    fn both_languages_have_the_same_keys_with_the_same_arguments() {
        let (chinese, english) = (messages(&CHINESE.concat()), messages(&ENGLISH.concat()));
        assert_eq!(chinese, english);
        assert!(chinese.len() > 100);
    }

    #[test]
    fn every_status_kind_and_reason_has_words() {
        let statuses = [
            Status::Pending,
            Status::Running,
            Status::Success,
            Status::AlreadyDone,
            Status::Compensated,
            Status::Skipped,
            Status::Failed,
            Status::Unconfirmed,
            Status::Blocked,
            Status::Dead,
        ];
        let reasons = "not_due window_closed period_over holiday not_workday not_ready requirement_ended already_done \
                       in_flight waiting_for_evidence ticket suspended cooling_down locked missed skip later ledger_lost";
        for words in both() {
            let has = |key: String| assert!(words.find(&key, &[]).is_some(), "{} lacks {key}", words.tag());
            statuses.iter().for_each(|status| has(format!("status-{}", status.word())));
            reasons.split_whitespace().for_each(|reason| has(format!("reason-{reason}")));
            FailureKind::ALL.iter().for_each(|kind| has(format!("kind-{}", kind.word())));
        }
    }

    #[test]
    fn every_kind_that_does_not_mend_itself_has_advice() {
        let heals = |kind: &FailureKind| matches!(kind.policy(), Policy::Retry | Policy::SiteWaits | Policy::SignIn);
        for words in both() {
            for kind in FailureKind::ALL.iter().filter(|kind| !heals(kind)) {
                assert!(words.find(&format!("advice-{}", kind.word()), &[]).is_some(), "{} {kind}", words.tag());
            }
        }
    }

    #[test]
    fn every_loss_of_the_ledger_is_told_with_its_time_and_what_was_kept() {
        use crate::ledger::LossKind::*;
        use crate::report::LostLines;
        for words in both() {
            for (kind, told) in
                [(Damaged, "ledger.damaged-1"), (Gone, "06:00"), (OlderCopy, "05:00"), (Another, "05:00")]
            {
                let found_at = "2026-11-30T06:00:00Z".parse().unwrap();
                let known_to = "2026-11-30T05:00:00Z".parse().ok();
                let loss = LostLines { kind, found_at, known_to, kept: Some("ledger.damaged-1".into()) };
                let line = loss.line(&words, chrono_tz::UTC);
                assert!(line.contains("2026-11-30 06:00") && line.contains(told), "{line}");
                assert!(!line.contains("loss-") && line.lines().count() == 1, "{line}");
            }
        }
    }

    #[test]
    fn arguments_are_put_in_without_marks() {
        let [chinese, english] = both();
        assert_eq!(chinese.with("count-done", &[("count", 4.into())]), "4 项完成");
        assert_eq!(english.with("needs-you-count", &[("count", 1.into())]), "1 thing needs you");
        assert_eq!(english.with("needs-you-count", &[("count", 2.into())]), "2 things need you");
    }

    #[test]
    fn a_missing_word_shows_its_key() {
        assert_eq!(both()[0].get("no-such-word"), "no-such-word");
    }
}
