import { AnswerFault } from './fault'

/** JSON of a server that promises nothing: everything of it may be missing, null or of another type. */

/** A member of what may be an object; undefined if it is none or has none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** A text; anything else is none. Content that comes as an array of parts is that of its text parts. */
export function text(value: unknown): string {
  if (Array.isArray(value))
    return value.map((part) => (member(part, 'type') === 'text' ? text(member(part, 'text')) : '')).join('')
  return typeof value === 'string' ? value : ''
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A count from 0; null if it is none. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Throws an AnswerFault for what is no JSON, and for an error that stands where an answer should. */
export function parseAnswer(json: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    if (error instanceof SyntaxError) throw new AnswerFault('the answer is no JSON', { excerpt: json })
    throw error
  }
  if ((member(value, 'error') ?? null) !== null) throw new AnswerFault('the answer is an error', { excerpt: json })
  return value
}
