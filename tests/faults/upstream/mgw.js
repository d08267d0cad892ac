// Updates the checkpoint as the orchestrator's library does: merged shallowly, lists only grow, written beside and renamed.
const fs = require('fs');
const folder = process.argv[1] + '/.mgw/active/';
const lines = require('readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { number } = JSON.parse(line);
  const name = fs.readdirSync(folder).find((name) => name.startsWith('57-') && name.endsWith('.json'));
  const state = JSON.parse(fs.readFileSync(folder + name, 'utf-8'));
  const now = new Date().toISOString();
  const first = {
    schema_version: 1, pipeline_step: 'triage', step_progress: {}, last_agent_output: null, artifacts: [],
    resume: { action: null, context: {} }, started_at: now, updated_at: now, step_history: [],
  };
  const old = state.checkpoint || first;
  state.checkpoint = {
    ...old,
    pipeline_step: 'execute',
    step_progress: { ...old.step_progress, ['k' + number]: number },
    artifacts: old.artifacts.concat([{ path: 'a' + number, type: 'commit', created_at: now }]),
    resume: { action: 'continue-execution', context: { number } },
    step_history: old.step_history.concat([
      { step: 'execute', completed_at: now, agent_type: 'x', output_path: 'o' + number },
    ]),
    updated_at: now,
  };
  fs.writeFileSync(folder + name + '.tmp', JSON.stringify(state, null, 2), 'utf-8');
  fs.renameSync(folder + name + '.tmp', folder + name);
  console.log(JSON.stringify(state));
});
