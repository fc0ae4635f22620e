/** A call of a tool as a model made it. `arguments` is its text, which may be no JSON at all. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** A call or a part of one, as a server sends it. Empty texts and null: the server did not say. */
export interface CallFragment {
  readonly index: number | null
  readonly id: string
  readonly name: string
  /** A piece of text; servers that send objects send them whole. */
  readonly arguments: string
}

interface GrowingCall {
  readonly index: number | null
  readonly position: number
  id: string
  name: string
  arguments: string
}

/** Puts calls together from fragments: by their index, or else by their id, or else by their place in the message. */
export class CallMerger {
  readonly #calls: GrowingCall[] = []

  /** The fragments of one chunk. */
  add(fragments: readonly CallFragment[]): void {
    fragments.forEach((fragment, position) => {
      const call = this.#find(fragment, position)
      if (!call) {
        this.#calls.push({ ...fragment, position })
        return
      }
      call.id ||= fragment.id
      // Some servers repeat the name in every fragment, others cut it like the arguments.
      if (fragment.name !== call.name) call.name += fragment.name
      call.arguments += fragment.arguments
    })
  }

  /** The calls in the order in which they began. Those without an id of their own get one: `step` makes it unique. */
  finish(step: number): ToolCall[] {
    const taken = new Set<string>()
    return this.#calls.map(({ id, name, arguments: text }, i) => {
      const own = id === '' || taken.has(id) ? createCallId(step, i) : id
      taken.add(own)
      return { id: own, name, arguments: text }
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

/**
 * Servers that send calls whole give all of them the same index, or none: a new id, or a name after a whole call,
 * begins another.
 */
function startsNewCall(fragment: CallFragment, call: GrowingCall): boolean {
  if (fragment.id !== '' && call.id !== '') return fragment.id !== call.id
  if (fragment.name === '') return false
  if (fragment.index === null && fragment.name !== call.name) return true
  return call.arguments !== '' && parseArguments(call.arguments) !== null
}

/** Nine letters and digits, which is the only form that all servers take. */
function createCallId(step: number, i: number): string {
  return `c${String(step).padStart(4, '0')}${String(i).padStart(4, '0')}`
}

/** A call as a server is shown it again: some refuse names that no tool can have, and arguments that are no object. */
export function echoCall(call: ToolCall): ToolCall {
  const name = /^[\w-]{1,64}$/.test(call.name) ? call.name : 'unknown'
  return { ...call, name, arguments: JSON.stringify(parseArguments(call.arguments) ?? {}) }
}

/** The arguments of a call: nothing and null are `{}`. Null for what is no JSON object. */
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
