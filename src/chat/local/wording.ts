import { clip } from '../../tools/fit'
import { toAnswerText } from '../answer-text'
import type { ScoredSentence } from './sentence-score'

/** The sentences of the embedded engine, apart from quotations. */

/** Titles that are named if nothing answers a question. */
const MAX_NEAREST_TITLES = 3

/** Writes the line of a quotation with the number `n`. */
export function writeQuotation({ note, under, start, end }: ScoredSentence, n: number): string {
  const heading = under ? `, under "${toAnswerText(under)}"` : ''
  return `From "${toAnswerText(note.title)}"${heading}: "${toAnswerText(note.body.slice(start, end))}" [${n}]`
}

/** Writes quotations that may not answer. @param unknownName a name of the question that no note has */
export function writeNearest(lines: readonly string[], unknownName: string | null): string {
  const missing = unknownName === null ? '' : ` No note that I may read mentions "${toAnswerText(unknownName)}".`
  return `I found no note that surely answers this.${missing} The nearest, which may not answer it:\n${lines.join('\n')}`
}

/** Writes that nothing was found. `titles` are those of the notes nearest to the question. */
export function writeNotFound(titles: readonly string[]): string {
  const named = titles.slice(0, MAX_NEAREST_TITLES).map((title) => `"${toAnswerText(title)}"`)
  const nearest =
    named.length > 0
      ? `The nearest by their words: ${named.join(', ')}.`
      : 'No note that I may read shares a word with it.'
  return `I found no note that answers this. ${nearest}`
}

export const EMPTY_WORKSPACE =
  'This workspace has no notes yet, so there is nothing to answer from. Add one with POST /api/notes, for example ' +
  '{ "title": "House", "body": "The boiler warranty ends on 3 May 2027." }, and ask again.'

/** The answer if the scope of the request excludes notes. */
export const OUT_OF_SCOPE =
  'The scope of this request leaves out notes, and notes are what I quote from: I read nothing. Add "note" to scope.types.'

/** The answer to a message without words. */
export const WORDLESS = 'There is no word in this message that I could look for. Ask about something in your notes.'

const ABILITIES = `I can
- answer questions with sentences of your notes, word for word ("When does the boiler warranty end?");
- show tasks by date, label, project, priority and state ("What is due on 25 December?", "Completed this week", "High priority tasks"), and cards that are due;
- list and count notes by tag, folder and date, the latest ones, the trash and what changed ("Notes tagged recipes", "How many notes do I have?");
- add, complete, reopen, move, rename, rank, label and find tasks ("Remind me to call Ann tomorrow at 9am", "Complete the task "Pay rent"", "Move the task "Pay rent" to the project House"), several in one message, or as a list ("Add tasks: milk, eggs");
- make, extend, rename, tag, move and find notes, and move notes and tasks to the trash and back ("Create a note called "Plan": …", "Tag the note "Plan" with travel");
- summarize a note, and make flashcards ("Summarize the note "Plan"", "Make cards from the note "Plan"", "Q: … A: …");
- go on from what was said ("And Paul's?", "The second one", "Move it to friday", "Save that as a note", "Undo that").`

export const HELP = `I am Satchel's built-in rule-based engine, not a language model. ${ABILITIES}`

/** The answer to requests to write, translate, calculate or reason. */
export const NOT_ABLE = `That is beyond me: I am Satchel's built-in rule-based engine, and neither write, translate, calculate nor reason. ${ABILITIES}`

/** The answer to an order that is neither one of these nor a question. */
export const UNKNOWN_ORDER = `I do not know how to do that. ${ABILITIES}`

export const GREETING = 'Hello. Ask about your notes, tasks or cards, or say "help" to see what I can do.'
export const WELCOME = 'You are welcome.'

/** The answer to a change in mode `read`, which is the default of the OpenAI API. */
export const READ_ONLY =
  'This request may only read, so I changed nothing. Send it with mode "write" to have it done, or ask about what is there.'

/** The answer to a message that takes itself back. */
export const TAKEN_BACK = 'You took it back, so I did nothing. Say again what I shall do.'
/** Added if a message has the same action twice. */
export const REPEATED = 'You wanted the same thing more than once: I did it once.'

/** Parts of a message that are named if they were not read, and their code points. */
const [MAX_UNREAD, MAX_UNREAD_CHARS] = [3, 80]

/** Writes which parts of a message are no actions, or more than one message may have. */
export function writeUnread(parts: readonly string[]): string {
  const named = parts.slice(0, MAX_UNREAD).map((part) => `"${toAnswerText(clip(part, MAX_UNREAD_CHARS))}"`)
  const more = parts.length > MAX_UNREAD ? `, and ${parts.length - MAX_UNREAD} more` : ''
  return `I left out what I did not understand, or what was too much at once: ${named.join(', ')}${more}.`
}

/** The answer to yes or no if the answer before asked nothing. */
export const NOTHING_WAITS =
  'Nothing waits for a yes or a no. To take back what was done, say "undo that"; or say "help" to see what I can do.'

/** Writes how to decide on what waits. @param codes those of the pending actions */
export function writeWaiting(codes: readonly string[]): string {
  const lines = codes.map((code) => `confirm ${code}, or cancel ${code}`)
  return `That still waits, and only its code decides. Reply: ${lines.join('; ')}.`
}

/** The answer to "undo that" where the answers before changed nothing, or nothing that is still known. */
export const NOTHING_TO_UNDO =
  'There is nothing to undo: the answers before changed nothing here within the last day, so I did nothing.'

/** Writes that several things have a name, with their titles, at most MAX_OFFERED. */
export function writeSeveral(what: 'note' | 'task', name: string, titles: readonly string[]): string {
  return `Several ${what}s fit "${toAnswerText(name)}". ${writeOffer(titles)}`
}

/** Writes that nothing has a name, with the titles of what is near it. */
export function writeNoneFits(what: 'note' | 'task', name: string, titles: readonly string[]): string {
  return `I found no ${what} called "${toAnswerText(name)}". ${titles.length > 0 ? writeOffer(titles) : 'I did nothing.'}`
}

/** Titles that are listed if a name is ambiguous. */
const MAX_OFFERED = 10

function writeOffer(titles: readonly string[]): string {
  const lines = titles.slice(0, MAX_OFFERED).map((title, i) => `${i + 1}. "${toAnswerText(title)}"`)
  return `Say which by its title in quotation marks; I did nothing:\n${lines.join('\n')}`
}

/** Writes which task of a list was chosen, and asks what to do with it. */
export function writeChosenTask(title: string): string {
  return `That is the task "${toAnswerText(title)}". Say what to do with it, for example: Complete it, or: Move it to friday.`
}

/** Writes what an answer said that it did. Quoted, it names nothing for the messages that follow. */
export const writeLately = (lines: readonly string[]): string =>
  `The last change here was:\n${lines.map((line) => `> ${line}`).join('\n')}`

/** Writes that words such as "it" stand for nothing that was mentioned. */
export function writeUnclear(words: string): string {
  return `I cannot tell what "${toAnswerText(words)}" is here, so I did nothing. Name it, for example: Complete the task "Pay rent".`
}

export const WHAT_TASK = 'What shall I remind you of? For example: "Remind me to call Ann tomorrow at 9am".'

/** Asks whether a command was meant. */
export const writeSupposed = (command: string): string =>
  `I am not sure that you want me to change something, so I did nothing. Did you mean: "${toAnswerText(command)}"?`
