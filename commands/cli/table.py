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
        Entry("tune", "tuning:tune", "Search better constants, judged by the log."),
    ),
    "Keep in order": (
        Entry("merge", "membership:merge", "Declare that two memories are one."),
        Entry("split", "membership:split", "Take a text out of the memory it was merged into."),
        Entry("forget", "membership:forget", "Put a memory out of sight; `restore` brings it back."),
        Entry("erase", "erasing:erase", "Destroy a memory, or all that is of a user, for good."),
        Entry("restore", "membership:restore", "Make a hidden memory live again, or a new store of a backup."),
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
    "Travel in time": (
        Entry("timeline", "timelines:timeline", "Show what was believed when, what replaced it, and why."),
        Entry("diff", "differing:diff", "Show what changed between two moments, or sets of constants."),
        Entry("replay", "replaying:replay", "Fold the log again under other constants, and show what would differ."),
        Entry("adopt", "replaying:adopt", "Put other constants in force."),
    ),
    "Store": (
        Entry("init", "storing:init", "Make a store."),
        Entry("verify", "storing:verify", "Check every byte of the log."),
        Entry("rebuild", "storing:rebuild", "Make everything but the log anew."),
        Entry("reembed", "storing:reembed", "Give every text vectors of another embedder."),
        Entry("doctor", "doctoring:doctor", "Say what is wrong with a store and what to do; do it with --fix."),
        Entry("backup", "moving:backup", "Copy the store into a folder, or bring the backup there up to date."),
        Entry("export", "moving:export", "Write the whole log as JSON lines."),
        Entry("completion", "completion:completion", "Print the completion script of a shell."),
        Entry("demo", "demo:demo", "Watch a small memory learn."),
    ),
}

COMMANDS: dict[str, Entry] = {entry.name: entry for entries in TOPICS.values() for entry in entries}
