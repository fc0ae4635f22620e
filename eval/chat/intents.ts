import { isSureWrite, readCommands } from '../../src/chat/local/commands'
import type { CommandKind } from '../../src/chat/local/frames'
import { type Figure, toShareFigure } from '../figures'

/** A text and the name of its intent. */
type Utterance = readonly [text: string, intent: string]

/** The members of CLINC150's format that are read: parts (`train`, `val`, `test`, `oos_test` …). */
export type Clinc = Readonly<Record<string, readonly Utterance[] | undefined>>

/** The right kinds of commands for those of CLINC150 that this server has. */
const RIGHT: Readonly<Record<string, readonly CommandKind[]>> = {
  todo_list_update: ['task', 'remind', 'list', 'complete', 'delete', 'move', 'rename', 'rank'],
  reminder_update: ['remind', 'task'],
}

/** The intents of CLINC150 that are ours; what shows something may be asked in any words. */
export const OWN_INTENTS: readonly string[] = [...Object.keys(RIGHT), 'todo_list', 'reminder']

/** Measures how often the embedded engine recognizes a command. */
export function measureIntents(name: string, texts: readonly Utterance[]): Figure {
  const known = texts.filter(([, intent]) => RIGHT[intent])
  const right = known.filter(([text, intent]) => {
    const kind = readCommands(text).commands[0]?.kind
    return kind !== undefined && RIGHT[intent]?.includes(kind)
  })
  return toShareFigure(`${name}: right intent`, { right: right.length, of: known.length }, 0.84)
}

/** Counts the texts that would write something that nobody wants. */
export function measureFalseWrites(name: string, texts: readonly Utterance[]): Figure {
  const written = texts.filter(([text]) => readCommands(text).commands.some(isSureWrite))
  const measured = `${written.length} of ${texts.length}`
  return { what: `${name}: false writes`, target: '0', measured, reached: written.length === 0 }
}
