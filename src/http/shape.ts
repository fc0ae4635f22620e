import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { misshapen } from './errors'

/**
 * A check for values that come another way than as the body of a request: such as the lines of an archive.
 * @param whole names the value in a refusal
 * @returns a function that gives the value back or throws invalid_request, as a route with this schema would
 */
export function createShape<Schema extends TSchema>(schema: Schema, whole: string): (value: unknown) => Static<Schema> {
  const check = createCheck(schema)
  return (value) => {
    if (check().Check(value)) return value
    throw misshapen(check().Errors(value), whole)
  }
}

/** The compiled check of a schema, made when it is first asked for: that takes milliseconds, and most runs never ask. */
export function createCheck<Schema extends TSchema>(schema: Schema): () => TypeCheck<Schema> {
  let check: TypeCheck<Schema> | null = null
  return () => {
    check ??= TypeCompiler.Compile(schema)
    return check
  }
}
