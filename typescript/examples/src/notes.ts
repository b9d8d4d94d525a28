// The handlers of the tools. Their arguments are repaired, valid and complete.
import type { AddNoteArguments, FindNotesArguments, NotesTools, RemindArguments } from "./notes-tools/index.ts";

/** Notes in memory. */
export class Notes implements NotesTools {
  readonly #notes: string[] = [];

  add_note({ text, tags }: AddNoteArguments): { number: number } {
    return { number: this.#notes.push([text, ...tags].join(" #")) };
  }

  find_notes({ word, limit }: FindNotesArguments): { notes: string[] } {
    const isFound = (note: string): boolean => note.toLowerCase().includes(word.toLowerCase());
    return { notes: this.#notes.filter(isFound).reverse().slice(0, limit) };
  }

  remind({ note, at_nanoseconds }: RemindArguments): string {
    // An integer beyond 2^53 arrives as a bigint, and is exact.
    const seconds = BigInt(at_nanoseconds) / 1_000_000_000n;
    return `a reminder of note ${String(note)} is set for ${new Date(Number(seconds) * 1000).toISOString()}`;
  }
}
