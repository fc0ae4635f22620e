import { canCommand, VERB } from './command'
import type { GrammarMessage } from './intent'
import { narrow } from './shapes'

/** UTF-16 units of the first line of a message; a longer one is not a command. */
export const MAX_HEAD_UNITS = 1200

/** Polite beginnings of a command, which are stripped one at a time. */
const BEFORE: readonly RegExp[] = [
  /^(?:please|pls|kindly|just|also|now|then|so|well|and|ok|okay|alright|(?:hey|hi|hello)(?: there)?|satchel|assistant)\b[\s,!:.-]*/i,
  /^(?:can|could|will|would|may)(?: (?:you|u|i|we))(?: (?:please|kindly|just|also|maybe|possibly))*\s+/i,
  /^would you mind\s+/i,
  /^(?:i(?:'d| would)? (?:want|need|like|love)|i(?:'d| would) (?:really )?(?:like|love)|i(?:'m| am) going)(?: you| for you)? to\s+/i,
  /^(?:you (?:can|may|should|could)|go (?:ahead|on) and|hurry up and|be sure to|make sure (?:to|you)|(?:do not|don'?t) forget to|remember to|help(?: me)?(?: to)?(?= (?:set|add|make|create|remind|find))|try to|let'?s|let us|do me a favou?r(?: and)?|why (?:do not|don'?t) you|i'?d appreciate it if you (?:could|would)|if you (?:could|would|can))[\s,]+/i,
]

const AFTER =
  /(?:[\s,.!;]+(?:please|pls|thanks|thank you(?: (?:so|very) much)?|if you (?:can|could|would|please|don'?t mind)|i would appreciate it|for me(?= please)|will you|would you))?[\s.!?]*$/i

/** Beginnings that are stripped, at most. */
const MAX_STRIPPED = 8

/**
 * Reads a message without its polite words. Never throws; a first line that is too long for a command gives an empty
 * head.
 */
export function readMessage(text: string): GrammarMessage {
  const trimmed = text.trim()
  const end = trimmed.search(/[\r\n]/)
  const first = (end < 0 ? trimmed : trimmed.slice(0, end)).normalize('NFC')
  const body = end < 0 ? '' : trimmed.slice(end).trim()
  if (first.length > MAX_HEAD_UNITS) return { head: '', body, command: false }
  const line = first.replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim()
  const behind = withoutBefore(narrow(line))
  const command = withoutAfter(behind)
  const from = line.length - behind.length
  const head = line.slice(from, from + command.length)
  return { head, body, command: canCommand(command) && !isSalutation(line) }
}

const GREETING =
  /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut|hola|buen[oa]s (?:días|tardes|noches))(?: there)? +/i
/** Words that only letters begin with. */
const DEAR = /^(?:dear|liebe[rs]?|sehr geehrte[rs]?|ch(?:er|ère)s?|querid[oa]s?|estimad[oa]s?) +/i
const PERSON =
  "(?:\\p{Lu}[\\p{L}'’.-]+|all|team|everyone|everybody|folks|both|zusammen|alle|tous|toutes|équipe|equipo|todos|todas)"
const PERSONS = new RegExp(`^${PERSON}(?:,? (?:(?:and|&|und|et|y) )?${PERSON}){0,3} ?[,:;.!–-]`, 'u')
const ANYBODY = /^[\p{L}'’.-]+(?: [\p{L}'’.&-]+){0,4} ?[,:;.!–-]/u
const VERB_AND_OBJECT = new RegExp(`^${VERB} `, 'i')

/** Whether a line begins as a letter does, with a name: "Hi Ann, …", "Dear team: …". What follows is somebody's text. */
export function isSalutation(line: string): boolean {
  const text = narrow(line.trim().normalize('NFC'))
  const name = text.replace(DEAR, '').replace(GREETING, '')
  if (name === text || BEFORE[0]?.test(name) || VERB_AND_OBJECT.test(name)) return false
  return PERSONS.test(`${name},`) || (DEAR.test(text) && ANYBODY.test(`${name},`))
}

export function withoutBefore(line: string): string {
  let rest = line
  for (let taken = 0; taken < MAX_STRIPPED; taken++) {
    const pattern = BEFORE.find((one) => one.test(rest))
    const shorter = pattern ? rest.replace(pattern, '') : rest
    if (shorter === rest || shorter === '') break
    rest = shorter
  }
  return rest
}

/**
 * Strips polite words from the end. Only the last 60 units are searched, since the pattern would start at every space.
 */
function withoutAfter(line: string): string {
  const from = Math.max(0, line.length - 60)
  const end = line.slice(from)
  const shorter = (line.slice(0, from) + end.replace(AFTER, '')).trim()
  return shorter === '' ? line : shorter
}

/**
 * Polite words that are skipped in any order ("it would be great if you could …"); none is of a question or a refusal.
 */
const COURTESY = new Set(
  `i we you it us me would could can will may might like love need want have has had to be great nice good lovely helpful
  wonderful if so kind as just really now go ahead and help for let lets let's appreciate grateful thank thanks hey ok okay
  a an favor favour please kindly also then that is there possible any chance ask asking request sure quickly hope wish
  think i'd i'll i'm we'd you'd must gotta got going gonna today satchel maybe perhaps possibly wondering was`.split(
    /\s+/,
  ),
)
const MAX_COURTESY_WORDS = 14
/** "I have milk on my list" is a report; without the "I" it would read as a request. */
const REPORTS_HAVING = /^(?:i|we) (?:have|had|got)\b(?! (?:got )?to\b)/i

/** Yields the heads without one polite word, two, and so on; none if it starts with another word. */
export function* withoutCourtesy(head: string): Generator<string> {
  let rest = head
  for (let skipped = 0; skipped < MAX_COURTESY_WORDS; skipped++) {
    const end = rest.indexOf(' ')
    if (
      end < 0 ||
      REPORTS_HAVING.test(rest) ||
      !COURTESY.has(
        rest
          .slice(0, end)
          .toLowerCase()
          .replace(/[,.!]$/, ''),
      )
    )
      return
    rest = rest.slice(end + 1)
    yield rest
  }
}
