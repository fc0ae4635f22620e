import { toAnswerText } from '../answer-text'
import type { EngineRun } from '../engine'
import type { CitationSource } from '../tools/source'
import type { ToolOutcome } from '../tools/tool'

/** What tools answer, read member by member: a result is JSON, and nothing of it is taken for granted. */
type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Objects of a list of a result; none where there is no such list. */
export function readObjectList(result: Json, name: string): Json[] {
  const list = result[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

export function readObjectMember(result: Json, name: string): Json {
  const value = result[name]
  return isObject(value) ? value : {}
}

/** A text of a result; '' where there is none. */
export function readTextMember(result: Json, name: string): string {
  const value = result[name]
  return typeof value === 'string' ? value : ''
}

/** A number of a result; 0 where there is none. */
export function readNumberMember(result: Json, name: string): number {
  const value = result[name]
  return typeof value === 'number' ? value : 0
}

/** A day or a day with a time, as people read it. */
export const writeDue = (due: string): string => due.replace('T', ' at ')

/** Says why a tool did nothing; true if it did nothing. */
export function sayFault(run: EngineRun, { fault }: ToolOutcome): boolean {
  if (fault) run.say(`I could not do that: ${toAnswerText(fault.detail)}`)
  return fault !== null
}

/** The mark of what a tool read of a resource, with a space before it; '' where it read nothing that can be cited. */
export function writeCitationMark(run: EngineRun, sources: readonly CitationSource[], id: string): string {
  const source = sources.find((one) => one.id === id)
  return source ? ` [${run.cite(source)}]` : ''
}

/** A title as a sentence shows it. */
export const quotePlainTitle = (title: string): string => `"${toAnswerText(title)}"`

/** Says what a writing tool did, or asks whether to do it. `more` goes into the sentence: its beginning and its end. */
export function sayOutcome(run: EngineRun, outcome: ToolOutcome, more = ''): void {
  if (sayFault(run, outcome) || !outcome.action) return
  const { status, summary, target } = outcome.action
  const moves = outcome.action.tool === 'trash_item' && target
  if (status !== 'pending') run.say(`${toAnswerText(summary)}${more}.`)
  // How to confirm it is added by the core.
  else
    run.say(
      moves ? `Shall I move ${quotePlainTitle(target.title)} to the trash?` : `${toAnswerText(summary)}: shall I?`,
    )
}
