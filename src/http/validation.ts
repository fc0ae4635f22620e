import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { ValidationError } from 'elysia'
import { DatabaseFull, DatabaseUnavailable } from '../db/database'
import { findNearestName } from '../lib/spelling'
import { ApiError, busy, type Fault, internal, MAX_FAULTS_REPORTED, shortenName } from './api-error'

/** A fault of ours becomes `internal`, which the caller logs. @param code the code that Elysia gives the error */
export function toApiError(code: string | number, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Error && error.cause instanceof ApiError) return error.cause
  if (error instanceof DatabaseFull)
    return new ApiError('storage_full', 'The disk of this server is full. Nothing was changed; add more later.')
  if (error instanceof DatabaseUnavailable)
    return busy('The server cannot reach its data right now. Nothing was changed; try again in a moment.')
  if (code === 'VALIDATION') return validationError(error as ValidationError)
  if (code === 'PARSE') return new ApiError('invalid_json', 'The body could not be read as JSON.')
  if (code === 'NOT_FOUND') return new ApiError('not_found', 'There is nothing at this path.')
  return internal()
}

/** Makes the error of a failed validation. It never uses Elysia's message, which repeats the value. */
function validationError(error: ValidationError): ApiError {
  // A response that does not fit its schema is our fault, not the caller's.
  if (error.type === 'response') return internal()
  const entries = error.all.filter((entry) => 'path' in entry || 'schema' in entry) as SchemaFault[]
  return schemaError(entries, error.type === 'body' ? 'the body' : error.type)
}

/** Reads no more of `entries` than it reports. @param valueName names the whole value, such as `the body` */
function schemaError(entries: Iterable<SchemaFault>, valueName: string): ApiError {
  const faults = new Map<string, Fault>()
  for (const found of Iterator.from(entries).flatMap((entry) => resolveUnion(entry, MAX_UNION_DEPTH))) {
    const { path = '' } = found
    if (faults.has(path)) continue
    const name = shortenName(path.slice(1)) || valueName
    faults.set(path, { pointer: path, code: 'invalid_value', detail: `${name} ${describeFault(found)}` })
    if (faults.size === MAX_FAULTS_REPORTED) break
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

interface SchemaFault {
  readonly path?: string
  readonly message?: string
  readonly value?: unknown
  readonly schema?: {
    readonly error?: unknown
    readonly type?: string
    readonly anyOf?: readonly { const?: unknown; type?: string }[]
    /** For an object: its known members. */
    readonly properties?: Readonly<Record<string, unknown>>
  }
  /** For a union: the faults by each of its alternatives, found lazily. */
  readonly errors?: readonly Iterable<SchemaFault>[]
}

/** Levels of nested unions for which the faults of an alternative are reported. */
const MAX_UNION_DEPTH = 4

/** Of the faults of the same type, those of the alternative with the fewest: it was probably meant. */
function resolveUnion(entry: SchemaFault, levels: number): SchemaFault[] {
  const { schema, errors = [], value } = entry
  if (levels === 0 || typeof schema?.error === 'string') return [entry]
  const candidates = (schema?.anyOf ?? []).flatMap(({ const: literal, type }, i) => {
    const faults = errors[i]
    return faults && literal === undefined && type === typeOf(value)
      ? [Iterator.from(faults).take(MAX_FAULTS_REPORTED).toArray()]
      : []
  })
  const [best] = candidates.filter((faults) => faults.length > 0).toSorted((a, b) => a.length - b.length)
  return best ? best.flatMap((fault) => resolveUnion(fault, levels - 1)) : [entry]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The message of TypeBox about a member that is not there. */
const MISSING = 'Expected required property'

function describeFault(fault: SchemaFault): string {
  const rule = describeRule(fault)
  return fault.message === MISSING && rule.startsWith('must ') ? `is required, and ${rule}` : rule
}

function describeRule({ path = '', message = '', schema }: SchemaFault): string {
  if (typeof schema?.error === 'string') return schema.error
  if (message === 'Unexpected property')
    return `is not known here${suggestion(path, Object.keys(schema?.properties ?? {}))}`
  const choices = schema?.anyOf?.map((choice) => choice.const ?? choice.type).filter((choice) => choice !== undefined)
  if (choices?.length) return `must be one of: ${choices.join(', ')}`
  return rephrase(message)
}

/** Returns the end of the sentence about an unknown member: a known one with a similar name; '' if there is none. */
function suggestion(path: string, known: readonly string[]): string {
  const start = path.lastIndexOf('/') + 1
  const name = findNearestName(path.slice(start), known)
  return name === null ? '' : `; did you mean ${path.slice(1, start)}${name}?`
}

const BOUND = /^Expected (?:array|string|number|integer)( length)?(?: to be)? (less|greater) or equal to (.+)$/

function rephrase(message: string): string {
  if (message === MISSING) return 'is required'
  const type = /^Expected (array|boolean|integer|number|object|string)$/.exec(message)?.[1]
  if (type) return `must be ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
  const [bound, length, side, limit] = BOUND.exec(message) ?? []
  if (bound) return `must be ${side === 'less' ? 'at most' : 'at least'} ${limit}${length ? ' long' : ''}`
  const lower = message.charAt(0).toLowerCase() + message.slice(1)
  return lower.startsWith('expected ') ? `must be ${lower.slice('expected '.length)}` : `is refused: ${lower}`
}

/**
 * Creates a validator for values that are not the body of a request, such as the lines of an archive.
 * @param valueName names the value in an error
 * @returns a function that returns the value, or throws invalid_request as a route with this schema would
 */
export function createValidator<Schema extends TSchema>(
  schema: Schema,
  valueName: string,
): (value: unknown) => Static<Schema> {
  const check = createCheck(schema)
  return (value) => {
    if (check().Check(value)) return value
    throw schemaError(check().Errors(value), valueName)
  }
}

/** The schema is compiled at the first use, since that takes milliseconds and is rarely needed. */
export function createCheck<Schema extends TSchema>(schema: Schema): () => TypeCheck<Schema> {
  let check: TypeCheck<Schema> | null = null
  return () => {
    check ??= TypeCompiler.Compile(schema)
    return check
  }
}
