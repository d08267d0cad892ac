//! The digest that binds a consent to a plan. It never covers a clock or an age.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::model::text::hex;
use crate::model::{
    Action, Aliveness, Asked, Basis, Fingerprint, Foreign, Guard, GuardKind, Handoff, Plan,
    PlanOptions, Preview, TreeFacts,
};

/// Fields are length-prefixed, so that no two different plans share their bytes.
#[derive(Debug, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Adds a field.
    pub fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// The digest in hex.
    pub fn hex(self) -> String {
        hex(&self.0.finalize())
    }

    /// Adds a number.
    pub fn number(&mut self, number: usize) -> &mut Self {
        self.field(&(number as u64).to_le_bytes())
    }

    /// Adds texts, and how many there are.
    fn foreign<'a>(&mut self, texts: impl IntoIterator<Item = &'a Foreign>) -> &mut Self {
        let texts: Vec<&Foreign> = texts.into_iter().collect();
        self.number(texts.len());
        for text in texts {
            self.field(text.as_bytes());
        }
        self
    }

    fn path(&mut self, path: &Path) -> &mut Self {
        self.field(path.as_os_str().as_bytes())
    }
}

/// Digests what a plan changes and was computed from: of the guards which of them hold, and for questions only that they
/// exist; of the liveness only its verdict; of the work tree its head and branch.
pub(super) fn fingerprint(
    plan: &Plan,
    options: &PlanOptions,
    liveness: Aliveness,
    tree: Option<&TreeFacts>,
) -> Fingerprint {
    let mut digest = Digest::default();
    digest.field(b"relight plan 1");
    let boundary = &plan.point.boundary;
    digest
        .field(plan.pipeline.0.as_bytes())
        .field(boundary.id.0.as_bytes());
    let checkpoint = boundary.checkpoint.found();
    digest.field(checkpoint.map_or(&[], |found| found.id.as_bytes()));
    digest.field(format!("{:?}", options.mode).as_bytes());
    for path in &options.paths {
        digest.path(path);
    }
    digest.field(options.branch.as_deref().unwrap_or_default().as_bytes());
    digest.field(liveness.word().as_bytes());
    // Guards are shown with the failing ones first, so their order follows the answers; the digest must not.
    let mut guards: Vec<&Guard> = plan.guards.iter().collect();
    guards.sort_by(|a, b| a.id.cmp(&b.id).then(a.text.cmp(&b.text)));
    for guard in guards {
        // An answer does not change what the person agrees to: the plan they saw is the plan that is applied.
        let holds = guard.kind == GuardKind::Ask || guard.holds;
        digest
            .field(guard.id.as_bytes())
            .field(guard.kind.word().as_bytes())
            .field(&[u8::from(holds)]);
    }
    for action in &plan.actions {
        add_action(&mut digest, action);
    }
    if let Some(tree) = tree {
        digest.field(tree.branch.as_ref().map_or(&[], |b| b.as_bytes()));
        digest.field(tree.head.as_deref().unwrap_or_default().as_bytes());
    }
    let mut basis: Vec<&Basis> = plan.basis.iter().collect();
    basis.sort();
    for one in basis {
        digest.path(&one.path).field(&one.state);
    }
    Fingerprint(digest.hex())
}

/// The fingerprint of a plan together with what is said and handed over: the warnings and losses, and everything that
/// the prompt and the briefing are written from. `own` is the hand-off before [`finish`](super::handoff::finish), which
/// adds only what stands in the plan: what a guard says has an age in it, and the answer to it changes nothing that
/// the person agrees to. The briefing's file is named after the fingerprint, so it is no part of it.
pub fn with_words(plan: &Plan, own: &Handoff) -> Fingerprint {
    let mut digest = Digest::default();
    digest.field(b"relight words 1");
    digest.field(plan.fingerprint.0.as_bytes()).path(&own.cwd);
    let prompted = own.argv.len() > 1 && own.argv.last() == Some(&own.prompt);
    let words = own.argv.len() - usize::from(prompted);
    digest.foreign(own.argv.iter().take(words));
    digest.foreign([&own.prompt, &own.briefing]);
    digest.foreign(&plan.warnings);
    digest.foreign(
        plan.losses
            .iter()
            .flat_map(|loss| [&loss.text, loss.done()]),
    );
    digest.foreign(&plan.left_out);
    digest.foreign(&plan.kept_newer);
    for items in [&plan.kept, &plan.redone] {
        let parts = items.iter();
        let parts = parts.flat_map(|item| [&item.id, &item.label, &item.detail]);
        digest.foreign(parts);
    }
    if let Asked::Resume { options, .. } = &plan.asked {
        digest.field(options.reason.as_deref().unwrap_or_default().as_bytes());
    }
    Fingerprint(digest.hex())
}

fn add_action(digest: &mut Digest, action: &Action) {
    digest
        .field(action.kind.word().as_bytes())
        .path(&action.target);
    for path in &action.paths {
        digest
            .field(path.path.as_bytes())
            .field(path.change.word().as_bytes());
        let blob = path.blob.as_ref();
        digest.field(blob.map_or("", |blob| &blob.id).as_bytes());
        digest.field(blob.map_or("", |blob| blob.line_ends.word()).as_bytes());
    }
    match &action.preview {
        Preview::Tree { store, commit } => {
            digest.path(store).field(commit.as_bytes());
        }
        Preview::Content { before, after, .. } => {
            digest
                .field(before.as_deref().unwrap_or_default())
                .field(after);
        }
        Preview::Rows { removed: lines, .. }
        | Preview::Lines {
            appended: lines, ..
        } => {
            for line in lines {
                digest.field(line.as_bytes());
            }
        }
        Preview::Appended { lines } => {
            digest.field(&lines.to_le_bytes());
        }
        Preview::Rename { to } => {
            digest.path(to);
        }
        Preview::Kept { pairs } => {
            for pair in pairs {
                digest
                    .path(&pair.here)
                    .path(pair.kept.as_deref().unwrap_or_else(|| Path::new("")));
            }
        }
    }
}
