import { MAX_WAITING } from '../../../tools/confirmations'
import { beginsWithVerb, readIntent, readSupposed } from './grammar'
import { type Intent, isWrite } from './intent'
import { BULLET, readCardList, readList } from './list'
import { isSalutation, MAX_HEAD_UNITS, readMessage } from './message'
import { Sentence } from './shapes'
import { classesIn, LANGUAGES } from './words'

/**
 * Actions that one message can ask for; what is behind them is not done. As many can wait to be confirmed at the same
 * time.
 */
export const MAX_ACTIONS = MAX_WAITING
/** Lines of a message that are read as commands. Of a longer message only the first line is. */
const MAX_LINES = 64
/** UTF-16 units of a message whose lines are all read as commands. Of a longer one only the first is. */
const MAX_LINES_UNITS = 4800

/** A message as its actions. */
export interface SeveralIntents {
  /** In the order of the message, none twice; empty if the message is a question to the notes. */
  readonly intents: readonly Intent[]
  /** The parts that are no actions, as they are written, and actions over the limit. */
  readonly unread: readonly string[]
  /** Actions that were left out since the message has them already. */
  readonly repeats: number
  /** Whether a part takes the whole message back: then there are no intents. */
  readonly takenBack: boolean
}

/** A message without actions. */
export const NO_INTENTS: SeveralIntents = { intents: [], unread: [], repeats: 0, takenBack: false }

/** Reads all actions of a message: its lines, lists, and parts joined by "and". Never throws. */
export function readSeveral(text: string): SeveralIntents {
  const parts = readLines(text)
  const unread = parts.filter(({ intents }) => intents.length === 0).map(({ text: part }) => part)
  if (parts.length > 1 && unread.some((part) => TAKES_BACK.test(part))) return { ...NO_INTENTS, takenBack: true }
  const all = withoutTalk(parts.flatMap(({ intents }) => intents))
  if (all.some(isWrite) && TAKEN_BACK_LAST.test(text.slice(-MAX_END_UNITS))) return { ...NO_INTENTS, takenBack: true }
  if (all.length === 0) {
    const supposed = readSupposed(readMessage(text))
    return supposed && parts.length === 1 && !/[\r\n]/.test(text.trim())
      ? { ...NO_INTENTS, intents: [supposed.intent] }
      : NO_INTENTS
  }
  const once = [...new Map(all.map((intent) => [JSON.stringify(intent), intent])).values()]
  const over = once.slice(MAX_ACTIONS).map(nameIntent)
  return {
    intents: once.slice(0, MAX_ACTIONS),
    unread: [...unread, ...over],
    repeats: all.length - once.length,
    takenBack: false,
  }
}

/** A line that takes back what was said before it. */
const TAKES_BACK =
  /^(?:(?:oh|but|actually|sorry|no|nope|wait)[\s,.!]+){0,4}(?:no|nope|never ?mind|forget (?:it|that|this|all)|scratch (?:it|that)|cancel (?:it|that|this|all)|wait|stop|(?:do not|don'?t)(?: do (?:it|that|this|any))?)(?:[\s,.!]+(?:please|i|that|it|thanks?)\b[^:]*|[\s,.!]*)$/i

/** The end of a line that takes back what the line says; behind a comma, "no" and "wait" may be what there is to do. */
const TAKEN_BACK_LAST =
  /(?:[.?!;,]|\s[-–—])\s+(?:(?:oh|but|or|actually|sorry|no|wait|oder|nein|non|ou|o)[\s,.!]+){0,4}(?:never ?mind|forget (?:it|that|this|all)|scratch that|cancel that|just kidding|(?:do not|don'?t)(?: do (?:it|that|this))?|vergiss es|lieber nicht|doch nicht|laisse tomber|oublie(?: ça)?|olvídalo|déjalo|mejor no)[\s.!?]*$/iu
/** UTF-16 units of such an end. */
const MAX_END_UNITS = 80

interface ReadPart {
  readonly text: string
  /** None if it is no action. */
  readonly intents: readonly Intent[]
}

/** Reads the lines of a message; one part without intents if its first line is no action. */
function readLines(text: string): ReadPart[] {
  const whole = text.trim()
  const cards = readCardList(whole)
  const list = cards && readIntent(whole) === null ? [cards] : readList(whole)
  if (list) return [{ text: whole, intents: list }]
  const lines = whole.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '')
  const [line = '', ...rest] = lines
  if (isSalutation(line)) return [{ text: whole, intents: [] }]
  const first = line.replace(BULLET, '')
  const begin = readLine(first)
  if (rest.length === 0) return [{ text: whole, intents: begin }]
  if (readsBelow(first, begin)) return [{ text: whole, intents: begin }]
  const further =
    lines.length > MAX_LINES || whole.length > MAX_LINES_UNITS
      ? [{ text: rest.join('\n'), intents: [] }]
      : readCommands(rest)
  // A letter goes on with what is no command.
  const isLetter = begin.length === 1 && begin[0]?.kind === 'greeting' && further[0]?.intents.length === 0
  if (isLetter) return [{ text: whole, intents: [] }]
  const withBody = begin.length > 1 ? null : readIntent(whole)
  if (withBody?.kind === 'create_note' || withBody?.kind === 'append_note') {
    // The lines below a note are its text, unless it has one already and each of them is a command.
    const [own] = begin
    const isWhole = own?.kind === 'append_note' || (own?.kind === 'create_note' && own.body !== '')
    if (!isWhole || !further.every(({ intents }) => intents.some(isWrite)))
      return [{ text: whole, intents: [withBody] }]
  }
  return begin.length === 0 ? [{ text: whole, intents: [] }] : [{ text: first, intents: begin }, ...further]
}

/** Whether the lines below are what the first one is about: "summarize this mail:", "translate this to German". */
const readsBelow = (first: string, begin: readonly Intent[]): boolean =>
  begin.some(({ kind }) => kind === 'compose') || (/:\s*$/.test(first) && begin.length > 0 && !begin.some(isWrite))

/** The beginning of a block of text, such as code or what stands below a mail. */
const FENCE = /^\s*(?:```|~~~|---\s*$|-- ?$)/

/** Reads the lines below a command. Behind a line that announces something else, or begins a block, none is read. */
function readCommands(lines: readonly string[]): ReadPart[] {
  const parts: ReadPart[] = []
  for (const [i, line] of lines.entries()) {
    const text = line.replace(BULLET, '').trim()
    const intents = readLine(text)
    const ends = FENCE.test(line) || isSalutation(line) || (intents.length === 0 && /:\s*$/.test(text))
    if (ends) return [...parts, { text: lines.slice(i).join('\n'), intents: [] }]
    parts.push({ text, intents })
  }
  return parts
}

/** Between two commands in a line. */
export const JOINT =
  /(?:\s*[,;.!]\s+|\s+)(?:(?:and|then|und|dann|et|puis|y|e|luego)\s+){1,2}(?:(?:also|please|then|auch|aussi|también)\s+)*|\s*[,;.!]\s+/gi
/** Behind text of the caller's own, "and …" begins a command only if it names what it makes, or quotes a name. */
const NAMES_OBJECT = classesIn('task note cards list agenda')

/** A part of a line; its intent is read when it is needed, since every joint makes the part longer. */
interface LinePart {
  text: string
  intent?: Intent | null
}

function intentOf(part: LinePart): Intent | null {
  if (part.intent === undefined) part.intent = readIntent(part.text)
  return part.intent
}

/** Reads a line as commands that "and", a semicolon or a full stop joins; none if its beginning is no command. */
function readLine(written: string): Intent[] {
  const line = written.normalize('NFC')
  if (line.length > MAX_HEAD_UNITS) return []
  const list = readList(line)
  if (list) return list
  const read: LinePart[] = []
  for (const { joint, text } of cutAtJoints(line)) {
    const before = read.at(-1)
    const isNext = goesOn(before?.text, text)
    const part: LinePart = isNext ? { text, intent: readIntent(`remind me ${text}`) } : { text }
    if (!before || (intentOf(part) && canFollow(before, part, isNext))) read.push(part)
    else {
      before.text += joint + text
      delete before.intent
    }
  }
  const intents = read.length > 1 ? read.flatMap((part) => intentOf(part) ?? []) : []
  if (intents.length > 1 && intents.length === read.length) return intents
  const whole = readIntent(line)
  return whole ? [whole] : []
}

/** Whether a part is another command than the one before it. */
function canFollow(before: LinePart, part: LinePart, isNext: boolean): boolean {
  const [first, second] = [intentOf(before), intentOf(part)]
  return first !== null && second !== null && (isNext || mayFollow(first, before.text, second, part.text))
}

/** Whether "and to …" is another thing to be reminded of; "talk to Ann and to her mother" is one. */
const goesOn = (before: string | undefined, text: string): boolean =>
  /^to \S+ \S/i.test(text) && /^(?:(?:please|can you|could you) )*(?:remind me )?to (?!.*\bto\b)/i.test(before ?? '')

/** Whether a command may begin behind another one in the same line. */
function mayFollow(before: Intent, beforeText: string, intent: Intent, text: string): boolean {
  const isComplete = intent.kind !== 'ask_task' && !('title' in intent && intent.title === null)
  if (!isComplete || intent.kind === 'clear_tasks' || intent.kind === 'compose') return false
  // "Summarize: …" and "translate this. …" are followed by a text of somebody else.
  if (before.kind === 'compose' || (!isWrite(before) && beforeText.includes(':'))) return false
  const ownText = before.kind === 'add_task' || before.kind === 'create_note' || before.kind === 'append_note'
  if (/["”]\s*$/.test(beforeText)) return true
  if (before.kind === 'create_note' || before.kind === 'append_note') return false
  return ownText || before.kind === 'rename_task' ? namesObject(text) : true
}

/** Whether a command says what it makes: "remind me", an object, or a name in quotation marks behind its verb. */
function namesObject(text: string): boolean {
  if (/^[\p{L} ]+?["“„][^"“”]+["”“]/u.test(text)) return true
  return LANGUAGES.some((language) => {
    const sentence = new Sentence(text.slice(0, MAX_OBJECT_UNITS), language)
    const [end] = sentence.endsOf('remind', 0)
    if (end !== undefined && (language !== 'en' || sentence.has('telling', end))) return true
    return sentence.tokens.some((_, at) => at > 0 && NAMES_OBJECT.some((name) => sentence.has(name, at)))
  })
}
/** UTF-16 units of a command in which its object is named. */
const MAX_OBJECT_UNITS = 80

/** Cuts a line before each word that could begin a command, outside of quotation marks. */
export function cutAtJoints(line: string): { joint: string; text: string }[] {
  const pieces: { joint: string; text: string }[] = []
  let [start, joint] = [0, '']
  for (const found of line.matchAll(JOINT)) {
    const end = found.index + found[0].length
    if (pieces.length === MAX_ACTIONS) break
    if (isQuoted(line, found.index) || (!/^to /i.test(line.slice(end)) && !beginsWithVerb(line.slice(end, end + 40))))
      continue
    pieces.push({ joint, text: line.slice(start, found.index) })
    ;[start, joint] = [end, found[0]]
  }
  return [...pieces, { joint, text: line.slice(start) }]
}

const isQuoted = (line: string, at: number): boolean => (line.slice(0, at).match(/["“”„]/g)?.length ?? 0) % 2 === 1

/** Leaves out greetings and thanks beside anything else. */
function withoutTalk(intents: readonly Intent[]): readonly Intent[] {
  const others = intents.filter(({ kind }) => kind !== 'greeting' && kind !== 'thanks')
  return others.length > 0 ? others : intents.slice(0, 1)
}

/** Names an action that is not done. */
const nameIntent = (intent: Intent): string =>
  'text' in intent && typeof intent.text === 'string' ? intent.text : intent.kind.replace('_', ' ')
