import { isOnlyTime } from '../../../lib/civil/words/date'
import { type Cell, cell, forTask } from './cells'
import type { Intent } from './intent'
import { type Reading, toAddTask } from './new-items'
import type { Slots } from './shapes'

/** Commands behind a time, a condition, or what they point back at: "I'm done with it, so cross that off my list". */

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
/** Words of one's own need, and of what is done, around what there is to do. */
const AROUND = [
  /^(?:i|we)(?:'m| am|'ve| have|'d)? ?(?:(?:just|have|already) )*(?:(?:no longer )?(?:need|have|want) to|(?:don'?t|do not) (?:need|have|want) to|need|have|finished(?: with)?|done(?: with)?|completed|did)? /i,
  /^(?:the|my) (?:task|reminder|to-?do) (?=\S)/i,
  / (?:is|are|has been|have been|was|got) (?:done|finished|completed|complete)$/i,
] as const
const FINISHED = /^(?:i|we)(?:'m| am|'ve| have)? ?(?:just|already|finished|done|completed|did|have)\b/i
const NO_MORE = /^(?:i|we) (?:no longer|don'?t|do not)\b/i
const NO_LEAD = /[.?!]|^(?:what|who|when|where|why|how|did|don'?t)\b/i
const MAX_LEAD_UNITS = 120

const whatOf = ({ text }: Lead) => AROUND.reduce((words, pattern) => words.replace(pattern, ''), text)
const isTold = ({ text, divided }: Lead) => TOLD.test(text) && (divided || NEEDED.test(text))
const isDone = ({ text }: Lead) => AROUND[2].test(text) || FINISHED.test(text)
const isTime = ({ text }: Lead, { language }: Reading) =>
  language === 'en' ? TIME.test(text) : isOnlyTime(text, language)
const add = (lead: Lead): Intent | null => (whatOf(lead).length > 2 ? toAddTask(whatOf(lead)) : null)

const complete = forTask((task) => ({ kind: 'complete_task', task }), true)
const trash = forTask((named) => ({ kind: 'trash', type: 'task', named }), true)

/** Creates a cell of shapes that begin with a lead. */
const behind = (shapes: string, means: (lead: Lead, slots: Slots, reading: Reading) => Intent | null): Cell =>
  cell('behind a lead', shapes.replace(/(^|\|)\s*/g, '$1 <lead> =joint? joint* ').trim(), (slots, reading) => {
    const { lead: text = '', joint } = slots
    return text.length > MAX_LEAD_UNITS ? null : means({ text, divided: joint !== undefined }, slots, reading)
  })

/** In the order in which they are tried, behind all other commands. */
export const LEAD_CELLS: readonly Cell[] = [
  behind('remind conn <text> | make me? Task conn <text>', (lead, { text = '' }, reading) =>
    isTime(lead, reading) ? toAddTask(text, lead.text.replace(/^(?:and|so|for) /i, '')) : null,
  ),
  behind('remind conn <text>', (lead, { text = '' }) => (isTold(lead) && lead.divided ? toAddTask(text) : null)),
  behind('remind it?', (lead) => (isTold(lead) || (lead.divided && !NO_LEAD.test(lead.text)) ? add(lead) : null)),
  // "Bread put it on my list" may mean any list.
  behind('put it to =list', (lead, { list }) => (lead.divided || list?.toLowerCase() !== 'my list' ? add(lead) : null)),
  behind('make me? Task it?', (lead) => (isTold(lead) ? add(lead) : null)),
  behind(
    'tick/strike it particle off? list? | tick it done off? list? | tick/strike it off? list',
    (lead, _, reading) => (isDone(lead) ? complete({ task: whatOf(lead) }, reading) : null),
  ),
  behind('strike it particle off? list? | strike it off? list', (lead, _, reading) =>
    NO_MORE.test(lead.text) ? trash({ task: whatOf(lead) }, reading) : null,
  ),
  behind('strike particle? list', ({ text, divided }) =>
    divided && NO_MORE.test(text) ? { kind: 'clear_tasks' } : null,
  ),
]
