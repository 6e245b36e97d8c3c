"""Every command by topic, with its one line of help, so that listing them imports none of them."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One command: its name, where its function is ("module:function" beside this one), what it does."""

    name: str
    target: str
    summary: str


TOPICS: dict[str, tuple[Entry, ...]] = {
    "Remember": (
        Entry("store", "remembering:store", "Put a text into memory."),
        Entry("supersede", "remembering:supersede", "Put a new text, or another memory, in the place of one."),
        Entry("annotate", "remembering:annotate", "Add or take away tags, entities, expiry, pin and salience."),
        Entry("import", "moving:import_", "Bring memories over from files and other systems."),
    ),
    "Recall": (
        Entry("recall", "recalling:recall", "Ask memory."),
        Entry("explain", "recalling:explain", "Show every factor of the scores of a recall."),
        Entry("get", "looking:get", "Show one memory."),
        Entry("list", "looking:list_", "List memories."),
    ),
    "Learn": (
        Entry("feedback", "learning:feedback", "Say how it went, so that what helped rises."),
        Entry("reinforce", "learning:reinforce", "Note that a memory was used."),
    ),
    "Keep in order": (
        Entry("merge", "membership:merge", "Declare that two memories are one."),
        Entry("split", "membership:split", "Take a text out of the memory it was merged into."),
        Entry("forget", "membership:forget", "Put a memory out of sight; `restore` brings it back."),
        Entry("restore", "membership:restore", "Make a forgotten, pruned or superseded memory live again."),
        Entry("link", "linking:link", "Declare a relation between two memories."),
        Entry("unlink", "linking:unlink", "Take a relation back."),
        Entry("decay", "ticking:decay", "Settle what time has taken off effectiveness."),
        Entry("prune", "ticking:prune", "Hide what has not proved itself; `restore` brings it back."),
        Entry("expire", "ticking:expire", "Report what has expired."),
    ),
    "Look inside": (
        Entry("history", "events:history", "Show every event of one memory, and its effectiveness after each."),
        Entry("neighbors", "linking:neighbors", "Show what a memory is related to."),
        Entry("lineage", "linking:lineage", "Show what a memory came from and what came of it."),
        Entry("log", "events:log", "Show the last events of the log."),
        Entry("count", "figures:count", "Count memories by state."),
        Entry("stats", "plots:stats", "Draw how the memories are spread."),
        Entry("health", "figures:health", "Show whether everything works at its best."),
        Entry("constants", "figures:constants", "Show every tunable number."),
    ),
    "Store": (
        Entry("init", "storing:init", "Make a store."),
        Entry("verify", "storing:verify", "Check every byte of the log."),
        Entry("rebuild", "storing:rebuild", "Make everything but the log anew."),
        Entry("reembed", "storing:reembed", "Give every text vectors of another embedder."),
        Entry("export", "moving:export", "Write the whole log as JSON lines."),
        Entry("completion", "completion:completion", "Print the completion script of a shell."),
        Entry("demo", "demo:demo", "Watch a small memory learn."),
    ),
}

COMMANDS: dict[str, Entry] = {entry.name: entry for entries in TOPICS.values() for entry in entries}
