import type { TimeLanguage } from '../../../lib/civil/languages'
import { isOnlyTime } from '../../../lib/civil/words/date'
import { cutCodePoints } from '../../../lib/text'
import { type GrammarMessage, type Intent, unquoteName } from './intent'
import { Sentence, type Slots } from './shapes'

/** What new tasks and notes say, from the slots of a command. */

/** A message as it is read in one language. */
export interface Reading extends GrammarMessage {
  readonly language: TimeLanguage
}

/** Words that do not say what there is to do. */
const NOTHING =
  /^(?:(?:do |get |about |of )?(?:something|it|this|that|that thing|stuff|things?|again|later|one|done|made|set|please|for (?:me|later)|at a later time|a while|awhile|to do something)(?: (?:later|again|done|in a bit|in a ?while|of this|for me|please|at a later time))*)$/i
/** The things that a question is about, as opposed to a request for a reminder. */
const ASKED = /^(?:(?:of|about) )?(?:(?:the|my|all) )?(?:things?|tasks?|items|list|reminders)\b/i
/** What one asks to be told, unless it is something to do: "remind me the name of …", "rappelle-moi le nom de …". */
const FORGOTTEN =
  /^(?:(?:the|my|his|her|their|our|le|la|mon|ma|son|sa|el|su|mi|den|die|das|seinen?|ihren?) |l')(?:names?|(?:phone )?number|address|passwords?|pin|noms?|numéro|adresse|mot de passe|nombres?|número|dirección|contraseña|namen?|nummer|telefonnummer|passwort)(?!\p{L})/iu
const TIMES =
  '(?:(?:on |at |in |by |this |next |every |the )*(?:today|tonight|tomorrow|tommorow|morning|afternoon|evening|noon|night|weekend|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)?|\\d{1,2}(?:st|nd|rd|th)|(?:an?|\\d+|\\(x\\)|two|three|half an) (?:hours?|minutes?|days?|weeks?))[ ,]*){1,4}'
const ONLY_TIME = new RegExp(`^(?:for )?${TIMES}$`, 'i')
const TIME_LAST = new RegExp(` ${TIMES}$`, 'i')
const WHEN = /^(?:for|by|on|at|in|before|after|until|due|today|tomorrow|tonight|this|next|every)\b/i

/** Reads the words for quick add; asks for them where they do not say what to do. */
export function toAddTask(words: string, when = ''): Intent {
  const text = words
    .replace(/^["“„](.*)["”“]$/, '$1')
    .replace(/^(?:remember )?to (?=\w)/i, '')
    .replace(/^that (?=i\b)/i, '')
    .replace(/^i need to (?:remember to )?(?=\w)/i, '')
  const nothing = text === '' || NOTHING.test(text) || ONLY_TIME.test(text)
  return nothing ? { kind: 'ask_task' } : { kind: 'add_task', text: `${text}${when === '' ? '' : ` ${when}`}` }
}

/** Reads "remind me …". A time may come before what there is to do; quick add expects it after. */
export function readReminder({ conn = '', text = '', timed }: Slots, { language, head }: Reading): Intent | null {
  if (timed !== undefined) return TIME_LAST.test(timed) ? toAddTask(timed) : null
  const words = text.replace(/^(?:again|later|please)\b[, ]*/i, '')
  if (asks(words, language) || ASKED.test(`${conn} ${words}`.trim())) return null
  if ((language !== 'en' || conn === '') && FORGOTTEN.test(words)) return null
  // "Remind me of the date" is a question about the date.
  if (/^of$/i.test(conn) && /\bremind me of /i.test(head) && !NOTHING.test(words) && !/^\w+ing\b/i.test(words))
    return null
  return toAddTask(...splitTime(new Sentence(words, language)))
}

/** Words before one that asks, and a verb that asks: "nochmal, wer", "de quoi", "did I pay". */
const BEFORE_ASKING =
  /^(?:nochmals?|noch ?einmal|encore|otra vez|de nuevo|de|à|avec|pour|sur|con|para|sobre|mit|von|für|über)(?!\p{L})[\s,]*/iu
const VERB_ASKS =
  /^(?:is|are|was|were|do|does|did|have|has|had|can|could|should|will|would) (?:i|you|we|they|he|she|it|my|the|this|that|there|our|his|her|their)(?!\p{L})/iu

/** Whether words ask something, in place of saying what there is to do. */
export function asks(words: string, language: TimeLanguage): boolean {
  const sentence = new Sentence(words.replace(BEFORE_ASKING, '').replace(/^¿/, ''), language)
  return sentence.has('ask', 0) || (language === 'en' && VERB_ASKS.test(words))
}

/** Words of a time before what there is to do, at most. */
const MAX_TIME_WORDS = 10

/** Returns what there is to do, and the time before it: "tomorrow at 9 to call Ann", "morgen daran, Ann anzurufen". */
function splitTime(words: Sentence): [what: string, when: string] {
  for (let at = 1; at < Math.min(MAX_TIME_WORDS, words.tokens.length) - 1; at++) {
    const [end] = words.endsOf('telling', at)
    const when = end === undefined ? '' : words.slice(0, at)
    if (when !== '' && (ONLY_TIME.test(when) || isOnlyTime(when, words.language)))
      return [words.slice(end ?? at, words.tokens.length), when]
  }
  return [words.text, '']
}

/** Reads "add X to my list for tomorrow": after the list comes the time. */
export function readListedTask({ text = '', when = '' }: Slots, { head }: Reading): Intent | null {
  if (when !== '' && (!WHEN.test(when) || /^for (?:shopping|groceries|the (?:shop|store))\b/i.test(when))) return null
  if (/^list (?:each|all|every|everything|the|my|items?|what)\b/i.test(head)) return null
  if (/^(?:tasks|items|things|notes|reminders)$/i.test(text)) return null
  return toAddTask(text, when.replace(/^for (?=\w)/i, ''))
}

/** Code points of a title that is taken from the text. */
const MAX_TITLE_CHARS = 80
const TAG = /(?:^|\s)#([\p{L}\p{N}_/-]{1,60})/gu

/** Reads a new note; without a title it is named after its beginning. `#word` outside of quotation marks is a tag. */
export function readNewNote({ title, text = '' }: Slots, { body }: Reading): Intent {
  const tags = Array.from((title ?? text).matchAll(TAG), ([, tag]) => tag ?? '')
  const bare = (words: string) => words.replace(TAG, '').trim()
  const stated = title === undefined ? null : unquoteName(bare(title)).words
  const content = [unquoteName(title === undefined ? bare(text) : text).words, body]
    .filter((part) => part !== '')
    .join('\n\n')
  const name = stated || cutCodePoints(content.split('\n')[0] ?? '', MAX_TITLE_CHARS).trim()
  return { kind: 'create_note', title: name === '' ? null : name, body: content, tags }
}
