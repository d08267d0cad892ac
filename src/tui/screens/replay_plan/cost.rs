//! What a planned replay will cost, as facts.

use crate::model::ReplayPlan;
use crate::text::format;
use crate::tui::theme::Role;
use crate::tui::view::facts::Fact;

/// How much is run, then time, space and tokens.
pub(crate) fn cost(plan: &ReplayPlan) -> Vec<Fact> {
    let blocks = format::count(plan.ask.repeat, "block");
    let what = match plan.ask.arms().as_slice() {
        _ if plan.ask.repeat < 2 => "a single look".to_owned(),
        [one] => format!("{blocks} of a {} run", one.word()),
        _ => format!("{blocks} of a control run and a mutated run"),
    };
    let mut all = vec![Fact::new("blocks", Role::Text, what)];
    let texts = plan.cost_texts().into_iter();
    all.extend(texts.map(|(label, text)| Fact::new(label, Role::Text, text)));
    if let Some(disk) = plan.cost.disk.filter(|disk| !disk.fits()) {
        let text = format!("not enough space: {} are needed", format::size(disk.all));
        all.push(Fact::new("disk", Role::Bad, text).sign(("✗", Role::Bad)));
    }
    all
}
