/** Writes JSON Schema 2020-12 as types of TypeScript, for the client in client.ts. Pure. */
import { asList, asObject, isObject, type JsonObject } from './json-schema'

/** What the types of one file share. */
export interface TypeScope {
  /** The document, into which references point. */
  readonly document: JsonObject
  /** The name of the type of each named schema, by the schema's name. */
  readonly names: ReadonlyMap<string, string>
  /** The references that are being written out where they are used, each of which is written once at most. */
  readonly open: ReadonlySet<string>
}

const SCHEMAS = '#/components/schemas/'
/** Names that no type may have: words of the language, and types that the client's own part uses. */
const TAKEN = new Set(
  'any as async await bigint boolean break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let never new null number object package private protected public return static string super switch symbol this throw true try typeof undefined unknown var void while with yield AbortSignal Answer Args AsyncGenerator Body Call CallOptions ClientOptions Conditional Error ErrorCode FormData Headers Input NonNullable NotModified Omit Operation Pages Promise Readonly Record RequestInit Response Satchel SatchelError'.split(
    ' ',
  ),
)

/** Returns a function that makes an identifier of a name, another one at each call. */
export function createNaming(taken: Iterable<string> = TAKEN): (name: string) => string {
  const used = new Set(taken)
  return (name) => {
    const plain = name.replace(/[^\p{ID_Continue}$]/gu, '_').replace(/^(?!\p{ID_Start}|[$_])/u, '_')
    let free = plain
    for (let i = 2; used.has(free); i++) free = `${plain}_${i}`
    used.add(free)
    return free
  }
}

/** Writes the name of a member, in quotes unless it is an identifier. */
export function memberName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && name !== '__proto__' ? name : JSON.stringify(name)
}

/** Writes a comment above what follows; nothing without a text. @param indent the spaces before each line */
export function commentOf(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text.trim() === '') return ''
  const lines = text
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/)
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** Writes the type of a schema. A keyword that no type can express, such as a pattern, is left out. */
export function typeOf(schema: unknown, scope: TypeScope, indent = ''): string {
  if (schema === false) return 'never'
  if (!isObject(schema)) return 'unknown'
  if (typeof schema.$ref === 'string') return referenceOf(schema.$ref, scope, indent)
  const inner = (value: unknown) => typeOf(value, scope, indent)
  const unions = [schema.anyOf, schema.oneOf].map((list) => (list ? unionOf(asList(list).map(inner)) : 'unknown'))
  const whole = intersectionOf([ownType(schema, scope, indent), ...unions, ...asList(schema.allOf).map(inner)])
  return schema.nullable === true ? unionOf([whole, 'null']) : whole
}

/** Follows a local reference in a document. Undefined if it leads nowhere. */
export function followReference(reference: string, document: JsonObject): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/')
  return steps.reduce<unknown>((node, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(node)) return node[Number(name)]
    return isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined
  }, document)
}

/** Names a named schema, and writes any other one out; inside itself it is `unknown`. */
function referenceOf(reference: string, scope: TypeScope, indent: string): string {
  const name = reference.startsWith(SCHEMAS)
    ? scope.names.get(decodeURIComponent(reference.slice(SCHEMAS.length)).replaceAll('~1', '/').replaceAll('~0', '~'))
    : undefined
  if (name !== undefined) return name
  if (scope.open.has(reference)) return 'unknown'
  const inside = { ...scope, open: new Set([...scope.open, reference]) }
  return typeOf(followReference(reference, scope.document), inside, indent)
}

/** Writes the type that the keywords of a schema say, without those that combine schemas. */
function ownType(schema: JsonObject, scope: TypeScope, indent: string): string {
  if ('const' in schema) return literalOf(schema.const)
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map(literalOf))
  const has = (...keywords: string[]) => keywords.some((keyword) => keyword in schema)
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => ownType({ ...schema, type }, scope, indent)))
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return arrayOf(schema, scope, indent)
    case 'object':
      return objectOf(schema, scope, indent)
    default:
      if (has('properties', 'patternProperties', 'additionalProperties')) return objectOf(schema, scope, indent)
      return has('items', 'prefixItems') ? arrayOf(schema, scope, indent) : 'unknown'
  }
}

function arrayOf(schema: JsonObject, scope: TypeScope, indent: string): string {
  const rest = `${inParentheses(typeOf(schema.items, scope, indent))}[]`
  if (!Array.isArray(schema.prefixItems)) return rest
  const least = typeof schema.minItems === 'number' ? schema.minItems : schema.prefixItems.length
  const first = schema.prefixItems.map((item, i) => inParentheses(typeOf(item, scope, indent)) + (i < least ? '' : '?'))
  return `[${[...first, ...(schema.items === false ? [] : [`...${rest}`])].join(', ')}]`
}

/**
 * Writes the type of an object. What it may have beside its members gets an index signature only if that is all it
 * has or the document says of which type it is: else a misspelt member of an open object would go unnoticed.
 */
function objectOf(schema: JsonObject, scope: TypeScope, indent: string): string {
  const deeper = `${indent}  `
  const required = new Set(asList(schema.required))
  const members = Object.entries(asObject(schema.properties)).map(
    ([name, value]) =>
      `${commentOf(asObject(value).description, deeper)}${deeper}${memberName(name)}${required.has(name) ? '' : '?'}: ${typeOf(value, scope, deeper)}\n`,
  )
  const others = [...Object.values(asObject(schema.patternProperties)), schema.additionalProperties]
  const typed = others.filter((other) => isObject(other)).map((other) => typeOf(other, scope, deeper))
  if (members.length > 0) {
    return `{\n${members.join('')}${typed.length > 0 ? `${deeper}[name: string]: unknown\n` : ''}${indent}}`
  }
  const empty = schema.additionalProperties === false ? 'never' : 'unknown'
  return `{ [name: string]: ${typed.length > 0 ? unionOf(typed) : empty} }`
}

function literalOf(value: unknown): string {
  return JSON.stringify(value)
}

/** Writes a union, without what is in it twice. One with `unknown` is just that. */
export function unionOf(types: readonly string[]): string {
  const all = [...new Set(types)].filter((type) => type !== 'never')
  if (all.includes('unknown')) return 'unknown'
  return all.length === 0 ? 'never' : all.map((type) => (type.includes(' & ') ? `(${type})` : type)).join(' | ')
}

function intersectionOf(types: readonly string[]): string {
  const all = [...new Set(types)].filter((type) => type !== 'unknown')
  if (all.length === 1) return all.join()
  return all.length === 0 ? 'unknown' : all.map(inParentheses).join(' & ')
}

function inParentheses(type: string): string {
  return / [|&] /.test(type) ? `(${type})` : type
}
