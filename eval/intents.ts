import { readIntent } from '../src/chat/local/grammar/grammar'
import { type Intent, isWrite } from '../src/chat/local/grammar/intent'
import { type Figure, toShareFigure } from './figures'

/**
 * The members of CLINC150's format that are read: parts (`train`, `val`, `test`, `oos_test` …) with texts and intents.
 */
export type Clinc = Readonly<Record<string, readonly (readonly [text: string, intent: string])[] | undefined>>

const CHANGES = ['add_task', 'complete_task', 'trash', 'clear_tasks', 'move_task', 'rename_task', 'rank_task'] as const

/** The right kinds of intents for those of CLINC150 that this server has. Other sets use our own kinds. */
const RIGHT: Readonly<Record<string, readonly Intent['kind'][]>> = {
  todo_list: ['list_tasks', 'agenda'],
  reminder: ['list_tasks', 'agenda'],
  todo_list_update: CHANGES,
  reminder_update: ['add_task'],
}

/** The share of other texts that may be taken for a write, at most. */
const MAX_FALSE_WRITES = 0.01

/** Measures how often the grammar recognizes an intent, and how often it would write something that nobody wants. */
export function measureIntents(clinc: Clinc, part: string, ours: readonly string[] | null): Figure[] {
  const known = (clinc[part] ?? []).filter(([, intent]) => ours === null || ours.includes(intent))
  const others = (clinc[part] ?? []).filter(([, intent]) => ours !== null && !ours.includes(intent))
  const right = known.filter(([text, intent]) => {
    const kind = readIntent(text)?.kind
    return kind !== undefined && (RIGHT[intent] ?? [intent]).includes(kind)
  })
  const outside = clinc[`oos_${part}`] ?? []
  return [
    toShareFigure(`right intent, ${part}`, { right: right.length, of: known.length }, 0.84),
    measureFalseWrites(`false writes, out of scope, ${part}`, outside),
    ...(others.length > 0 ? [measureFalseWrites(`false writes, the other intents, ${part}`, others)] : []),
  ]
}

function measureFalseWrites(what: string, texts: readonly (readonly [text: string, intent: string])[]): Figure {
  const written = texts.filter(([text]) => {
    const intent = readIntent(text)
    return intent !== null && isWrite(intent)
  })
  const portion = texts.length === 0 ? 0 : written.length / texts.length
  const measured = `${(portion * 100).toFixed(1)} % (${written.length} of ${texts.length})`
  return { what, target: `≤ ${MAX_FALSE_WRITES * 100} %`, measured, reached: portion <= MAX_FALSE_WRITES }
}

/** The intents of CLINC150 that are measured. */
export const CLINC_INTENTS = Object.keys(RIGHT)
