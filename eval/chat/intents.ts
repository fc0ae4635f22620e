import { type Intent, isWrite } from '../../src/chat/local/grammar/intent'
import { readSeveral } from '../../src/chat/local/grammar/several'
import { type Figure, toShareFigure } from '../figures'

/** A text and the name of its intent. */
type Utterance = readonly [text: string, intent: string]

/** The members of CLINC150's format that are read: parts (`train`, `val`, `test`, `oos_test` …). */
export type Clinc = Readonly<Record<string, readonly Utterance[] | undefined>>

const CHANGES = [
  'add_task',
  'ask_task',
  'complete_task',
  'trash',
  'clear_tasks',
  'move_task',
  'rename_task',
  'rank_task',
] as const

/** The right kinds of intents for those of CLINC150 that this server has. */
const RIGHT: Readonly<Record<string, readonly Intent['kind'][]>> = {
  todo_list: ['list_tasks', 'agenda'],
  reminder: ['list_tasks', 'agenda'],
  todo_list_update: CHANGES,
  // "Set a reminder" does not say of what: that is asked.
  reminder_update: ['add_task', 'ask_task', 'did_you_mean'],
}

/** The intents of CLINC150 that are ours. */
export const OWN_INTENTS: readonly string[] = Object.keys(RIGHT)

/** Measures how often the grammar recognizes an intent that is ours. */
export function measureIntents(name: string, texts: readonly Utterance[]): Figure {
  const known = texts.filter(([, intent]) => OWN_INTENTS.includes(intent))
  const right = known.filter(([text, intent]) => {
    const kind = readSeveral(text).intents[0]?.kind
    return kind !== undefined && RIGHT[intent]?.includes(kind)
  })
  return toShareFigure(`${name}: right intent`, { right: right.length, of: known.length }, 0.84)
}

/** Counts the texts that would write something that nobody wants. */
export function measureFalseWrites(name: string, texts: readonly Utterance[]): Figure {
  const written = texts.filter(([text]) => readSeveral(text).intents.some(isWrite))
  const measured = `${written.length} of ${texts.length}`
  return { what: `${name}: false writes`, target: '0', measured, reached: written.length === 0 }
}
