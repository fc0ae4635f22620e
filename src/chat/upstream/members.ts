import { member } from '../../http/outgoing'

/**
 * The members of a model's turn that this server does not read. Families of models want them back in the next request of
 * a loop of tools, as they were: DeepSeek `reasoning_content`, OpenRouter `reasoning_details`, Gemini `extra_content` of a
 * call with the signature of a thought. Without them some refuse the request, others think everything again.
 */
export type Members = Readonly<Record<string, unknown>>

/** Members whose pieces in a stream are joined. Others are whole in each piece, such as ids, types and signatures. */
const GROWING = /^(reasoning|reasoning_content|thinking|text|summary|data|content|refusal)$/

/** Returns the members of a message or a call that are not in `known`. */
export function otherMembers(value: unknown, known: readonly string[]): Members {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter(([name]) => !known.includes(name)))
}

/** Adds the next piece of some members to those that came before, whose lists grow in place. */
export function growMembers(before: Members, piece: Members): Members {
  const grown: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(piece)) grown[name] = growValue(name, grown[name], value)
  return grown
}

function growValue(name: string, before: unknown, piece: unknown): unknown {
  if (piece === null || piece === undefined) return before ?? piece
  if (typeof piece === 'string') return typeof before === 'string' && GROWING.test(name) ? before + piece : piece
  if (Array.isArray(piece)) return growList(Array.isArray(before) ? before : [], piece)
  if (typeof piece !== 'object') return piece
  return growMembers(typeof before === 'object' ? (before as Members) : {}, piece as Members)
}

/** Adds elements, or pieces of them: those of a stream name the same `index` and `type`, as the pieces of calls do. */
function growList(elements: unknown[], pieces: readonly unknown[]): unknown[] {
  for (const piece of pieces) {
    const [index, type] = [member(piece, 'index'), member(piece, 'type')]
    const isSame = (one: unknown) => member(one, 'index') === index && member(one, 'type') === type
    const at = index === undefined ? -1 : elements.findLastIndex(isSame)
    if (at < 0) elements.push(piece)
    else elements[at] = growMembers(elements[at] as Members, piece as Members)
  }
  return elements
}

/**
 * Prepares members to be sent back. Without a value they are left out, since strict servers refuse members that they do
 * not know. DeepSeek wants its reasoning back even if there was none.
 */
export function echoMembers(members: Members): Members {
  const given = Object.entries(members).map(([name, value]) => [
    name,
    name === 'reasoning_content' ? (value ?? '') : value,
  ])
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined))
}
