import { forTask } from './cells'
import type { GrammarMessage, Intent } from './intent'
import { toAddTask } from './new-items'
import { compileShapes, matchShape, Sentence, type Slots } from './shapes'

/** English commands behind a time, a condition, or what they point back at: "I'm done with it, so cross that off my list". */

/** What stands before a command in its line. */
interface Lead {
  readonly text: string
  /** Whether a mark, or a word such as "so", divides it from the command. */
  readonly divided: boolean
}

const TIME =
  /^(?:and |so |for )?(?:at|on|in|next|tomorrow|tonight|today|every|each|this(?! is\b)|before|after|the next|if|by|once|as soon|later|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d)[^.?!]{0,58}$/i
/** What people tell of themselves. */
const TOLD = /^(?:i|i'm|i've|i'll|my|we|we're|there|there's)\b[^?]*$/i
const NEEDED = /^(?:i|we) (?:need|have|want) to /i
/** Words of one's own need before what there is to do. */
const NEED =
  /^(?:i|we)(?:'m| am|'ve| have|'d)? ?(?:(?:just|have|already) )*(?:(?:no longer )?(?:need|have|want) to|(?:don'?t|do not) (?:need|have|want) to|need|have|finished(?: with)?|done(?: with)?|completed|did)? /i
const TASK = /^(?:the|my) (?:task|reminder|to-?do) (?=\S)/i
const IS_DONE = / (?:is|are|has been|have been|was|got) (?:done|finished|completed|complete)$/i
const FINISHED = /^(?:i|we)(?:'m| am|'ve| have)? ?(?:just|already|finished|done|completed|did|have)\b/i
const NO_MORE = /^(?:i|we) (?:no longer|don'?t|do not)\b/i
const NO_LEAD = /[.?!]|^(?:what|who|when|where|why|how|did|don'?t)\b/i
/** What divides a command from what was told before it. */
const BOUNDARY = /(?:[\s,;.!]|\b(?:so|and|then|please|also|just|kindly|(?:can|could|will|would) you|you can)\b)+$/i

const whatOf = ({ text }: Lead) => text.replace(NEED, '').replace(TASK, '').replace(IS_DONE, '')
const isTold = ({ text, divided }: Lead) => TOLD.test(text) && (divided || NEEDED.test(text))
const isDone = ({ text }: Lead) => IS_DONE.test(text) || FINISHED.test(text)
const add = (lead: Lead): Intent | null => (whatOf(lead).length > 2 ? toAddTask(whatOf(lead)) : null)

/** Reads the change of the task that the lead tells of. */
const change = (kind: 'complete' | 'trash', lead: Lead): Intent | null =>
  forTask(
    (named) => (kind === 'complete' ? { kind: 'complete_task', task: named } : { kind: 'trash', type: 'task', named }),
    true,
  )({ task: whatOf(lead) }, { head: '', body: '', command: true, language: 'en' })

const COMMANDS: readonly (readonly [string, (lead: Lead, slots: Slots) => Intent | null])[] = [
  [
    'remind conn <text> | make me? Task conn <text>',
    (lead, { text = '' }) =>
      TIME.test(lead.text) ? toAddTask(text, lead.text.replace(/^(?:and|so|for) /i, '')) : null,
  ],
  ['remind conn <text>', (lead, { text = '' }) => (isTold(lead) && lead.divided ? toAddTask(text) : null)],
  ['remind it?', (lead) => (isTold(lead) || (lead.divided && !NO_LEAD.test(lead.text)) ? add(lead) : null)],
  // "Bread put it on my list" may mean any list.
  ['put it to =list', (lead, { list }) => (lead.divided || list?.toLowerCase() !== 'my list' ? add(lead) : null)],
  ['make me? Task it?', (lead) => (isTold(lead) ? add(lead) : null)],
  ['tick it particle/done off? list? | tick it off? list', (lead) => (isDone(lead) ? change('complete', lead) : null)],
  [
    'strike it particle off? list? | strike it off? list',
    (lead) => (isDone(lead) ? change('complete', lead) : NO_MORE.test(lead.text) ? change('trash', lead) : null),
  ],
  ['strike particle? list', (lead) => (NO_MORE.test(lead.text) && lead.divided ? { kind: 'clear_tasks' } : null)],
]
const SHAPES = COMMANDS.flatMap(([shapes, means]) => compileShapes(shapes).map((shape) => ({ shape, means })))
const VERBS = ['remind', 'make', 'put', 'tick', 'strike'] as const
/** Verbs of a line that are tried as the beginning of its command. */
const MAX_TRIED = 12
const MAX_LEAD_UNITS = 120

/** Reads a command behind a lead; null for any other message. */
export function readBehindLead({ head, command }: GrammarMessage): Intent | null {
  const sentence = new Sentence(head, 'en')
  let tried = 0
  for (let at = 1; command && at < sentence.tokens.length && tried < MAX_TRIED; at++) {
    if (!VERBS.some((name) => sentence.has(name, at))) continue
    tried++
    const before = sentence.slice(0, at)
    if (before.length > MAX_LEAD_UNITS) return null
    const text = before.replace(BOUNDARY, '')
    const lead = { text, divided: text !== before || /[,;]/.test(head[(sentence.tokens[at - 1]?.end ?? 0) - 1] ?? '') }
    const part = sentence.part(at)
    for (const { shape, means } of SHAPES) {
      const slots = matchShape(shape, part)
      const intent = slots && means(lead, slots)
      if (intent) return intent
    }
  }
  return null
}
