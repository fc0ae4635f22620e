import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { ValidationError } from 'elysia'
import { DatabaseUnavailable } from '../db/database'
import { findNearestName } from '../lib/spelling'
import { ApiError, FAULTS_REPORTED, type Fault, internal, shownName } from './api-error'

/**
 * Turns whatever was thrown, by us or by Elysia, into the error that the caller sees. `code` is Elysia's.
 * What is our own fault comes back as `internal`: the caller of this function logs it.
 */
export function toApiError(code: string | number, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Error && error.cause instanceof ApiError) return error.cause
  if (error instanceof DatabaseUnavailable)
    return new ApiError(
      'unavailable',
      'The server cannot reach its data right now. Nothing was changed; try again in a moment.',
    )
  if (code === 'VALIDATION') return invalidRequest(error as ValidationError)
  if (code === 'PARSE') return new ApiError('invalid_json', 'The body could not be read as JSON.')
  if (code === 'NOT_FOUND') return new ApiError('not_found', 'There is nothing at this path.')
  return internal()
}

/** A failed schema. Never Elysia's own message: it echoes the value that was received. */
function invalidRequest(error: ValidationError): ApiError {
  // A response that does not fit its schema is our fault, not the caller's.
  if (error.type === 'response') return internal()
  const entries = error.all.filter((entry) => 'path' in entry || 'schema' in entry) as Found[]
  return misshapen(entries, error.type === 'body' ? 'the body' : error.type)
}

/** The error for a value that does not fit a schema. `whole` names the value. No more of `entries` are read than are reported. */
function misshapen(entries: Iterable<Found>, whole: string): ApiError {
  const faults = new Map<string, Fault>()
  for (const found of Iterator.from(entries).flatMap((entry) => inUnion(entry, UNIONS_DEEP))) {
    const { path = '' } = found
    if (faults.has(path)) continue
    const name = shownName(path.slice(1)) || whole
    faults.set(path, { pointer: path, code: 'invalid_value', detail: `${name} ${reason(found)}` })
    if (faults.size === FAULTS_REPORTED) break
  }
  const errors = [...faults.values()]
  return new ApiError(
    'invalid_request',
    errors[0]?.detail ?? 'The request does not have the form that this endpoint takes.',
    {
      errors,
    },
  )
}

/** What TypeBox finds wrong. */
interface Found {
  readonly path?: string
  readonly message?: string
  readonly value?: unknown
  readonly schema?: {
    readonly error?: unknown
    readonly type?: string
    readonly anyOf?: readonly { const?: unknown; type?: string }[]
    /** For an object: the members that it may have. */
    readonly properties?: Readonly<Record<string, unknown>>
  }
  /** For a union: what is wrong by each of its choices, found as it is read. */
  readonly errors?: readonly Iterable<Found>[]
}

/** How many unions in one another are looked into. */
const UNIONS_DEEP = 4

/** What is wrong by the choice that the value was meant for: of those of its type, the one with the fewest faults. */
function inUnion(entry: Found, levels: number): Found[] {
  const { schema, errors = [], value } = entry
  if (levels === 0 || typeof schema?.error === 'string') return [entry]
  const meant = (schema?.anyOf ?? []).flatMap(({ const: literal, type }, i) => {
    const faults = errors[i]
    return faults && literal === undefined && type === typeOf(value)
      ? [Iterator.from(faults).take(FAULTS_REPORTED).toArray()]
      : []
  })
  const [best] = meant.filter((faults) => faults.length > 0).toSorted((a, b) => a.length - b.length)
  return best ? best.flatMap((fault) => inUnion(fault, levels - 1)) : [entry]
}

/** The type of a JSON value, as schemas name it. */
function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** What is wrong, in a few words. */
function reason({ path = '', message = '', schema }: Found): string {
  if (typeof schema?.error === 'string') return schema.error
  if (message === 'Unexpected property')
    return `is not known here${suggestion(path, Object.keys(schema?.properties ?? {}))}`
  const choices = schema?.anyOf?.map((choice) => choice.const ?? choice.type).filter((choice) => choice !== undefined)
  if (choices?.length) return `must be one of: ${choices.join(', ')}`
  return inWords(message)
}

/** The end of the sentence about an unknown member: which one was likely meant. '' where none is near. */
function suggestion(path: string, known: readonly string[]): string {
  const start = path.lastIndexOf('/') + 1
  const name = findNearestName(path.slice(start), known)
  return name === null ? '' : `; did you mean ${path.slice(1, start)}${name}?`
}

const BOUND = /^Expected (?:array|string|number|integer)( length)?(?: to be)? (less|greater) or equal to (.+)$/

/** TypeBox's messages ("Expected object", "Expected required property") as the end of a sentence. */
function inWords(message: string): string {
  if (message === 'Expected required property') return 'is required'
  const type = /^Expected (array|boolean|integer|number|object|string)$/.exec(message)?.[1]
  if (type) return `must be ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
  const [bound, length, side, limit] = BOUND.exec(message) ?? []
  if (bound) return `must be ${side === 'less' ? 'at most' : 'at least'} ${limit}${length ? ' long' : ''}`
  const lower = message.charAt(0).toLowerCase() + message.slice(1)
  return lower.startsWith('expected ') ? `must be ${lower.slice('expected '.length)}` : `is refused: ${lower}`
}

/**
 * A check for values that come another way than as the body of a request: such as the lines of an archive.
 * @param whole names the value in an error
 * @returns a function that gives the value back or throws invalid_request, as a route with this schema would
 */
export function createValidator<Schema extends TSchema>(
  schema: Schema,
  whole: string,
): (value: unknown) => Static<Schema> {
  const check = createCheck(schema)
  return (value) => {
    if (check().Check(value)) return value
    throw misshapen(check().Errors(value), whole)
  }
}

/** The compiled check of a schema, made at its first use: that takes milliseconds, and most runs never need it. */
export function createCheck<Schema extends TSchema>(schema: Schema): () => TypeCheck<Schema> {
  let check: TypeCheck<Schema> | null = null
  return () => {
    check ??= TypeCompiler.Compile(schema)
    return check
  }
}
