import type { CitationSource } from '../../tools/source'
import type { ToolOutcome } from '../../tools/tool'
import { toAnswerText } from '../answer-text'
import type { EngineRun } from '../engine'

/** A result of a tool, which is read member by member without trusting its types. */
type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the objects of a list; none if there is no such list. */
export function readObjectList(result: Json, name: string): Json[] {
  const list = result[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Reads an object; an empty one if there is none. */
export function readObjectMember(result: Json, name: string): Json {
  const value = result[name]
  return isObject(value) ? value : {}
}

/** Reads a text; '' if there is none. */
export function readTextMember(result: Json, name: string): string {
  const value = result[name]
  return typeof value === 'string' ? value : ''
}

/** Reads a number; 0 if there is none. */
export function readNumberMember(result: Json, name: string): number {
  const value = result[name]
  return typeof value === 'number' ? value : 0
}

/** Writes a date, or a date with a time, for people. */
export const writeDue = (due: string): string => due.replace('T', ' at ')

/** Says why a tool did nothing; returns whether it did nothing. */
export function sayFault(run: EngineRun, { fault }: ToolOutcome): boolean {
  if (fault) run.say(`I could not do that: ${toAnswerText(fault.detail)}`)
  return fault !== null
}

/** Writes the citation mark of a resource that a tool read, with a space before it; '' if there is nothing to cite. */
export function writeCitationMark(run: EngineRun, sources: readonly CitationSource[], id: string): string {
  const source = sources.find((one) => one.id === id)
  return source ? ` [${run.cite(source)}]` : ''
}

/** Quotes a title for a sentence. */
export const quotePlainTitle = (title: string): string => `"${toAnswerText(title)}"`

/**
 * Says what a writing tool did, or asks whether to do it. `more` is added to the end of the sentence if it was done.
 */
export function sayOutcome(run: EngineRun, outcome: ToolOutcome, more = ''): void {
  if (sayFault(run, outcome) || !outcome.action) return
  const { status, summary, target } = outcome.action
  const moves = outcome.action.tool === 'trash_item' && target
  if (status !== 'pending') run.say(`${toAnswerText(summary)}${more}.`)
  // AnswerRun.finish adds how to confirm it.
  else
    run.say(
      moves ? `Shall I move ${quotePlainTitle(target.title)} to the trash?` : `${toAnswerText(summary)}: shall I?`,
    )
}
