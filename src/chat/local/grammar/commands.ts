import { CELLS, type Cell, forTask, LOOSE_CELLS } from './cells'
import { type GrammarMessage, type Intent, isWrite } from './intent'
import { type Reading, toAddTask } from './new-items'
import { withoutCourtesy } from './polite'
import { compileShapes, matchShape, Sentence } from './shapes'
import { LANGUAGES, type Language, VERB_CLASSES } from './words'

/** A command, and how it was read. */
export interface ReadCommand {
  readonly intent: Intent
  /** The name of its cell. */
  readonly cell: string
  readonly language: Language
}

/** Reads a command, or a request to find or to sum up notes, in any language; null for any other message. */
export const readCommand = (message: GrammarMessage): ReadCommand | null =>
  readIn(CELLS, message) ?? readBehindLead(message) ?? readCourteous(message)

/** Reads what may be a command; null for any other message. Nothing of it is done before the caller is asked. */
export const readSupposed = (message: GrammarMessage): ReadCommand | null => readIn(LOOSE_CELLS, message)

function readIn(cells: readonly Cell[], message: GrammarMessage): ReadCommand | null {
  for (const language of LANGUAGES) {
    const reading = { ...message, language }
    const sentence = withoutPlease(new Sentence(message.head, language))
    const command = readCells(cells, sentence, reading) ?? readVerbLast(cells, sentence, reading)
    if (command) return command
  }
  return null
}

function readCells(cells: readonly Cell[], sentence: Sentence, reading: Reading): ReadCommand | null {
  const mayWrite = reading.command && (reading.language === 'en' || !refuses(sentence))
  for (const { name, writes, shapes, means } of cells)
    for (const shape of writes && !mayWrite ? [] : shapes) {
      const slots = matchShape(shape, sentence)
      const intent = slots && means(slots, reading)
      if (intent) return { intent, cell: name, language: reading.language }
    }
  return null
}

/** Whether a line refuses or asks; in English the guard of command.ts tells. */
function refuses(sentence: Sentence): boolean {
  return (
    sentence.tokens.some((_, at) => sentence.has('refuse', at)) ||
    sentence.has('subject', 0) ||
    sentence.has('subject', 1)
  )
}

/** Takes courtesy off both ends. */
function withoutPlease(sentence: Sentence): Sentence {
  let [from, to] = [0, sentence.tokens.length]
  for (;;) {
    const [end = from] = sentence.endsOf('please', from)
    if (end === from || end >= to) break
    from = end
  }
  for (let at = to - 4; at < to; at++) if (at > from && sentence.endsOf('please', at).includes(to)) to = at
  return sentence.part(from, to)
}

const isVerb = (sentence: Sentence, at: number): boolean => VERB_CLASSES.some((name) => sentence.has(name, at))

/** Reads a sentence whose verb comes last: "die Aufgabe Miete auf Freitag verschieben". */
function readVerbLast(cells: readonly Cell[], sentence: Sentence, reading: Reading): ReadCommand | null {
  const last = sentence.tokens.length - 1
  if (reading.language !== 'de' || last < 1 || !isVerb(sentence, last)) return null
  if (sentence.tokens.some((_, at) => sentence.has('subject', at))) return null
  return readCells(cells, sentence.verbFirst(), reading)
}

/** Reads a command behind words of courtesy in any order. "I need to call Ann" names no task, so it is none. */
function readCourteous(message: GrammarMessage): ReadCommand | null {
  for (const head of withoutCourtesy(message.head)) {
    const command = readCells(CELLS, new Sentence(head, 'en'), { ...message, head, language: 'en' })
    if (command && isWrite(command.intent)) return command
  }
  return null
}

/** The beginning of a time or a condition. */
const TIME =
  /^(?:and |so |for )?(?:at|on|in|next|tomorrow|tonight|today|every|each|this|before|after|the next|if|by|once|as soon|later|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d)[^.?!]{0,58}$/i
/** The beginning of what people tell of themselves. */
const TOLD = /^(?:i|i'm|i've|i'll|my|we|we're|there|there's)\b[^?]*$/i
/** Words of one's own need before what there is to do. */
const NEED =
  /^(?:i|we)(?:'m| am|'ve| have|'d)? ?(?:(?:just|have|already) )*(?:(?:no longer )?(?:need|have|want) to|(?:don'?t|do not) (?:need|have|want) to|need|have|finished(?: with)?|done(?: with)?|completed|did)? /i
const IS_DONE = / (?:is|are|has been|have been|was|got) (?:done|finished|completed|complete)$/i
const FINISHED = /^(?:i|we)(?:'m| am|'ve| have)? ?(?:just|already|finished|done|completed|did|have)\b/i
const NO_MORE = /^(?:i|we) (?:no longer|don'?t|do not)\b/i
/** What divides a command from what was told before it. */
const BOUNDARY = /(?:[\s,;.!]+|\b(?:so|and|then|please|also|just|kindly|(?:can|could|will|would) you|you can)\b)+$/i

interface Lead {
  readonly text: string
  /** Whether something divides it from the command. */
  readonly divided: boolean
}

type LeadMeaning = (lead: Lead, text: string) => Intent | null

const whatOf = ({ text }: Lead) => text.replace(NEED, '').replace(IS_DONE, '')
const isTold = ({ text, divided }: Lead) =>
  TOLD.test(text) && (divided || /^(?:i|we) (?:need|have|want) to /i.test(text))
const isOwn = (lead: Lead) =>
  isTold(lead) || (lead.divided && !/[.?!]|^(?:what|who|when|where|why|how|did|don'?t)\b/i.test(lead.text))

const addWhat: LeadMeaning = (lead) => (whatOf(lead).length > 2 ? toAddTask(whatOf(lead)) : null)
const addBehind: LeadMeaning = (lead, text) =>
  TIME.test(lead.text)
    ? toAddTask(text, lead.text.replace(/^(?:and|so|for) /i, ''))
    : isTold(lead) && lead.divided
      ? toAddTask(text)
      : null

const change = (kind: 'complete' | 'trash', task: string): Intent | null =>
  forTask(
    (named) => (kind === 'complete' ? { kind: 'complete_task', task: named } : { kind: 'trash', type: 'task', named }),
    true,
  )({ task }, { head: '', body: '', command: true, language: 'en' })

/** Commands behind a time, a condition, or what they point back at: "I'm done with it, so cross that off my list". */
const BEHIND_LEAD: readonly (readonly [readonly string[], LeadMeaning])[] = [
  [['remind conn <text>'], addBehind],
  [['make me? Task conn <text>'], (lead, text) => (TIME.test(lead.text) ? addBehind(lead, text) : null)],
  [['remind it?'], (lead) => (isOwn(lead) ? addWhat(lead, '') : null)],
  [['put it to list'], addWhat],
  [['make me? Task it?'], (lead) => (isTold(lead) ? addWhat(lead, '') : null)],
  [
    ['tick it particle/done off? list?', 'tick it off? list'],
    (lead) => (IS_DONE.test(lead.text) || FINISHED.test(lead.text) ? change('complete', whatOf(lead)) : null),
  ],
  [
    ['strike it particle off? list?', 'strike it off? list'],
    (lead) =>
      IS_DONE.test(lead.text) || FINISHED.test(lead.text)
        ? change('complete', whatOf(lead))
        : NO_MORE.test(lead.text)
          ? change('trash', whatOf(lead))
          : null,
  ],
  [['strike particle? list'], (lead) => (NO_MORE.test(lead.text) && lead.divided ? { kind: 'clear_tasks' } : null)],
]
const LEAD_SHAPES = BEHIND_LEAD.map(([shapes, means]) => ({ shapes: compileShapes(shapes), means }))
const LEAD_VERBS = ['remind', 'make', 'put', 'tick', 'strike'] as const
/** Verbs of a line that are tried as the beginning of its command. */
const MAX_TRIED = 12
const MAX_LEAD_UNITS = 120

/** Reads a command behind something else in its line. */
function readBehindLead(message: GrammarMessage): ReadCommand | null {
  const sentence = new Sentence(message.head, 'en')
  let tried = 0
  for (let at = 1; message.command && at < sentence.tokens.length && tried < MAX_TRIED; at++) {
    if (!LEAD_VERBS.some((name) => sentence.has(name, at))) continue
    tried++
    const before = sentence.slice(0, at)
    if (before.length > MAX_LEAD_UNITS) return null
    const text = before.replace(BOUNDARY, '')
    const lead = { text, divided: text !== before || /[,;]/.test(message.head[sentence.endOf(at - 1) - 1] ?? '') }
    const part = sentence.part(at)
    for (const { shapes, means } of LEAD_SHAPES)
      for (const shape of shapes) {
        const slots = matchShape(shape, part)
        const intent = slots && means(lead, slots.text ?? '')
        if (intent) return { intent, cell: 'behind a lead', language: 'en' }
      }
  }
  return null
}

/** Whether a text begins with a verb of commands in any language. */
export const beginsWithVerb = (text: string): boolean =>
  LANGUAGES.some((language) => isVerb(withoutPlease(new Sentence(text, language)), 0))
