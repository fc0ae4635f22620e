import { echoMembers, growMembers, type Members } from './members'

/** A call of a tool as a model made it. `arguments` is text that may not be valid JSON. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly others: Members
}

/** A call or a part of one, as a server sends it. Empty texts and null mean that the server did not send the member. */
export interface CallFragment {
  readonly index: number | null
  readonly id: string
  readonly name: string
  /** A piece of the text; servers that send an object send it whole. */
  readonly arguments: string
  readonly others: Members
}

interface GrowingCall {
  readonly index: number | null
  readonly position: number
  id: string
  name: string
  arguments: string
  others: Members
}

/** Assembles calls from fragments, matched by index, else by id, else by position in the message. */
export class CallMerger {
  readonly #calls: GrowingCall[] = []

  /** Adds the fragments of one chunk. */
  add(fragments: readonly CallFragment[]): void {
    fragments.forEach((fragment, position) => {
      const call = this.#find(fragment, position)
      if (!call) {
        this.#calls.push({ ...fragment, position })
        return
      }
      call.id ||= fragment.id
      // Some servers repeat the name in every fragment, others split it like the arguments.
      if (fragment.name !== call.name) call.name += fragment.name
      call.arguments += fragment.arguments
      call.others = growMembers(call.others, fragment.others)
    })
  }

  /** Returns the calls in the order in which they began. Missing and repeated ids are replaced, unique by `step`. */
  finish(step: number): ToolCall[] {
    const taken = new Set<string>()
    return this.#calls.map(({ id, name, arguments: text, others }, i) => {
      const unique = id === '' || taken.has(id) ? createCallId(step, i) : id
      taken.add(unique)
      return { id: unique, name, arguments: text, others }
    })
  }

  #find(fragment: CallFragment, position: number): GrowingCall | undefined {
    const call = this.#calls.findLast((one) => {
      if (fragment.index !== null) return one.index === fragment.index
      if (fragment.id !== '') return one.id === fragment.id
      return one.position === position
    })
    return call && !startsNewCall(fragment, call) ? call : undefined
  }
}

/** Creates the id of a call that has none: nine letters and digits, the only form that all servers accept. */
function createCallId(step: number, i: number): string {
  return `c${String(step).padStart(4, '0')}${String(i).padStart(4, '0')}`
}

/**
 * Whether a fragment begins another call. Servers that send whole calls give all of them the same index, or none: then
 * a new id, or a name after a complete call, begins another.
 */
function startsNewCall(fragment: CallFragment, call: GrowingCall): boolean {
  if (fragment.id !== '' && call.id !== '') return fragment.id !== call.id
  if (fragment.name === '') return false
  if (fragment.index === null && fragment.name !== call.name) return true
  return call.arguments !== '' && parseArguments(call.arguments) !== null
}

/** Cleans a call for sending it back: some servers refuse impossible names, and arguments that are not an object. */
export function echoCall(call: ToolCall): ToolCall {
  const name = /^[\w-]{1,64}$/.test(call.name) ? call.name : 'unknown'
  const text = JSON.stringify(parseArguments(call.arguments) ?? {})
  return { ...call, name, arguments: text, others: echoMembers(call.others) }
}

/** Parses the arguments of a call: no text and null are `{}`. Null if they are not a JSON object. */
export function parseArguments(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (value === null) return {}
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
