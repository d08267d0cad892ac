"""Writes as the prompts and scripts of four systems do: whole files, rows and lines, not atomically."""
import datetime, json, os, re, shutil, sys

system, folder = sys.argv[1:3]
os.chdir(folder)


def nine_step(ask):
    name = "workflow-state.json"
    with open(name) as file:
        state = json.load(file)
    for key in ["feature_name", "current_phase", "current_step", "last_execution"]:
        if key not in state:
            raise ValueError(key)
    shutil.copy(name, name + ".backup")
    done = {key: ask[key] for key in ["phase", "step", "agent", "status"]}
    done["timestamp"] = datetime.datetime.now().isoformat()
    state["current_phase"] = ask["phase"]
    state["current_step"] = ask["step"]
    state["last_execution"] = done
    if ask["status"] in ["approved", "completed"]:
        state["completed_steps"].append(dict(done))
    with open(name, "w") as file:
        json.dump(state, file, indent=2)
    return state


def superscientist(ask):
    name, now = "workflow-state.json", datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    with open(name) as file:
        text = file.read()
    stage = re.escape(json.dumps(ask["stage"]))
    text, count = re.subn(r'("id": %s,.*?"status": ")\w+' % stage, r"\g<1>" + ask["status"], text, count=1, flags=re.S)
    assert count == 1
    with open(name, "w") as file:
        file.write(text)
    with open("progress.log", "a") as file:
        file.write(f"[{now}] {ask['stage']} (N): status -> {ask['status']}\n")
    return json.loads(text)


def autoconference(ask):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    row = [ask["iteration"], ask["value"], ask["delta"], "-", "kept", "a try", "self-assessment", now]
    with open("researcher_A_results.tsv", "a") as file:
        file.write("\t".join(map(str, row)) + "\n")
    with open("conference_results.tsv", "a") as file:
        file.write("\t".join(map(str, [1, "A"] + row[:7] + ["-", now])) + "\n")
    payload = {"researcher": "A", "round": 1, "iteration": ask["iteration"], "metric_value": ask["value"],
               "delta": ask["delta"], "status": "kept"}
    with open("conference_events.jsonl", "a") as file:
        file.write(json.dumps({"event": "researcher.iteration", "timestamp": now, "payload": payload}) + "\n")
    with open("conference_events.jsonl") as file:
        return [json.loads(line) for line in file][-2]


def crucible(ask):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    with open("manifest.jsonl") as file:
        lines = [json.loads(line) for line in file]
    seq = max([line["seq"] for line in lines], default=0) + 1
    dispatched = {"seq": seq, "timestamp": now, "role": "writer", "phase": "1", "status": "dispatched"}
    done = {"seq": seq, "timestamp": now, "status": "completed", "summary": f"number {ask['number']}"}
    with open("manifest.jsonl", "a") as file:
        file.write(json.dumps(dispatched) + "\n" + json.dumps(done) + "\n")
    return lines[-1] if lines else None


writers = {"nine-step": nine_step, "superscientist": superscientist, "autoconference": autoconference,
           "crucible": crucible}
for line in sys.stdin:
    print(json.dumps(writers[system](json.loads(line))), flush=True)
