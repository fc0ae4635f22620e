/** Writes the client of /client.ts: the types of an OpenAPI document, and a wrapper of fetch for its operations. Pure. */
import runtime from './client-runtime.txt' with { type: 'text' }
import { commentOf, createNaming, followReference, memberName, type TypeScope, typeOf, unionOf } from './client-types'
import { asList, asObject, isObject, type JsonObject } from './json-schema'

const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace']
/** The members of an input that are no parameters, and what makes an object something else. */
const OWN_MEMBERS = ['body', 'contentType', 'accept', '__proto__']
/** Names that no method of the client may have: awaiting it would call `then`. */
const OWN_METHODS = ['then', '__proto__']

/** One operation, as it is called. */
interface Call {
  readonly name: string
  readonly inputName: string
  readonly operation: JsonObject
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
}

interface Parameter {
  /** The name of the input's member. */
  readonly member: string
  /** The name in the request. */
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  readonly source: JsonObject
}

/**
 * Writes a file of TypeScript that needs no other one. Its text depends on the document and the codes alone.
 * @param document an OpenAPI document of version 3.1 (3.0 is read, too)
 * @param codes the codes that an error may have
 */
export function generateClient(document: JsonObject, codes: readonly string[]): string {
  const naming = createNaming()
  const schemas = asObject(asObject(document.components).schemas)
  const names = new Map(Object.keys(schemas).map((name) => [name, naming(name)]))
  const scope: TypeScope = { document, names, open: new Set() }
  const calls = listCalls(document, naming)
  const { title, version } = asObject(document.info)
  const types = Object.entries(schemas).map(
    ([name, schema]) =>
      `${commentOf(asObject(schema).description, '')}export type ${names.get(name)} = ${typeOf(schema, scope)}\n`,
  )
  const inputs = calls.map((call) => `export type ${call.inputName} = ${inputOf(call, scope)}\n`)
  const methods = calls.map(
    (call) => `${summaryOf(call.operation)}  readonly ${memberName(call.name)}: ${callOf(call, scope)}\n`,
  )
  return [
    `/** The client of ${commentText(title)} ${commentText(version)}, made from the server's OpenAPI document: save it beside your program. */`,
    '/* biome-ignore-all lint: generated */\n/* eslint-disable */',
    `/** The codes of errors; /docs/errors of the server explains each. */\nexport type ErrorCode = ${unionOf(codes.map((code) => JSON.stringify(code)))}`,
    ...types,
    ...inputs,
    `/** Every operation of the server, by its operationId. */\nexport interface Satchel {\n${methods.join('')}}\n`,
    `const ERROR_CODES: readonly string[] = ${JSON.stringify(codes)}\n`,
    `const OPERATIONS: Readonly<Record<string, Operation>> = {\n${calls.map((call) => `  ${memberName(call.name)}: ${JSON.stringify(entryOf(call, scope))},\n`).join('')}}\n`,
    runtime,
  ].join('\n')
}

function listCalls(document: JsonObject, naming: (name: string) => string): Call[] {
  const methodNaming = createNaming(OWN_METHODS)
  return Object.entries(asObject(document.paths)).flatMap(([path, item]) =>
    METHODS.filter((method) => method in asObject(item)).map((method): Call => {
      const operation = asObject(asObject(item)[method])
      const name = methodNaming(String(operation.operationId ?? `${method}${path.replace(/[^a-z0-9]+/gi, '_')}`))
      const inputName = naming(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`)
      const parameters = listParameters(
        [...asList(asObject(item).parameters), ...asList(operation.parameters)],
        document,
      )
      const renamed = parameters.filter(({ place, name, member }) => place === 'path' && name !== member)
      const template = renamed.reduce((text, { name, member }) => text.replace(`{${name}}`, `{${member}}`), path)
      return { name, inputName, operation, method, path: template, parameters }
    }),
  )
}

/** Lists the parameters of an operation; those of the operation replace those of its path. Cookies are left out. */
function listParameters(sources: readonly unknown[], document: JsonObject): Parameter[] {
  const resolved = sources.map((source) => resolve(source, document))
  const byPlace = new Map(resolved.map((source) => [`${source.in} ${source.name}`, source]))
  const naming = createNaming(OWN_MEMBERS)
  const places = ['path', 'query', 'header'] as const
  return places.flatMap((place) =>
    [...byPlace.values()]
      .filter((source) => source.in === place)
      .map((source) => {
        const name = String(source.name)
        const lower = name.toLowerCase().replace(/[^a-z0-9]+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
        return { member: naming(place === 'header' ? lower : name), name, place, source }
      }),
  )
}

/** Writes the type of an input: a member for each parameter, and the body. */
function inputOf(call: Call, scope: TypeScope): string {
  const { operation, parameters } = call
  const conditional = isConditional(call, scope)
  const shown = parameters.filter(({ member }) => !(conditional && member === 'ifNoneMatch'))
  const members = shown.map(({ member, source, place }) => {
    const schema = source.schema ?? asObject(Object.values(asObject(source.content))[0]).schema
    const type = parameterType(schema, scope)
    const required = source.required === true || place === 'path'
    const comment = commentOf(source.description ?? asObject(schema).description, '  ')
    return `${comment}  ${memberName(member)}${required ? `: ${type}` : `?: ${unionOf([type, 'undefined'])}`}\n`
  })
  const all = [...members, ...bodyMembers(resolve(operation.requestBody, scope.document), scope)]
  return all.length > 0 ? `{\n${all.join('')}}` : '{ body?: undefined }'
}

/** Writes the type of a parameter. One that may be repeated is also given as the one value. */
function parameterType(schema: unknown, scope: TypeScope): string {
  const { type, items } = resolve(schema, scope.document)
  return unionOf([...(type === 'array' ? [typeOf(items, scope, '  ')] : []), typeOf(schema, scope, '  ')])
}

/** Writes the member for the body, and for its media type if the caller may choose. */
function bodyMembers(requestBody: JsonObject, scope: TypeScope): string[] {
  const content = asObject(requestBody.content)
  const [media, ...others] = Object.keys(content)
  if (media === undefined) return []
  const mark = requestBody.required === true ? '' : '?'
  const choice = unionOf(others.map((type) => JSON.stringify(type)))
  if (isJson(media)) {
    const type = typeOf(asObject(content[media]).schema, scope, '  ')
    if (others.length === 0) return [`  body${mark}: ${type}\n`]
    return [`  body${mark}: ${unionOf([type, 'Body'])}\n`, `  contentType?: ${choice} | undefined\n`]
  }
  const body = `  body${mark}: Body\n`
  if (media === 'multipart/form-data' && others.length === 0) return [`  body${mark}: FormData\n`]
  if (/[*]|octet-stream/.test(media))
    return [body, '  /** Default: that of the file. */\n  contentType?: string | undefined\n']
  if (others.length === 0) return [body]
  return [body, `  contentType: ${unionOf([media, ...others].map((type) => JSON.stringify(type)))}\n`]
}

/** Writes the type of a method. */
function callOf(call: Call, scope: TypeScope): string {
  const { operation, inputName, parameters } = call
  if (isFile(operation, scope)) return `Call<${inputName}, Response>`
  const successes = listSuccesses(operation, scope)
  const answers = successes.map(({ status, response }) => {
    const media = Object.entries(asObject(response.content)).find(([type]) => isJson(type))?.[1]
    const schema = asObject(media).schema
    const data = media === undefined ? 'undefined' : typeOf(schema, scope, '  ')
    return `Answer<${/^\d+$/.test(status) ? status : 'number'}, ${data}${'ETag' in asObject(response.headers) ? ', string' : ''}>`
  })
  const answer = answers.length > 0 ? unionOf(answers) : 'Answer<number, unknown>'
  const pages = successes.map(({ response }) =>
    asObject(asObject(asObject(response.content)['application/json']).schema),
  )
  const page = pages.find((schema) => isPage(schema, scope.document))
  if (page && parameters.some(({ member, place }) => member === 'cursor' && place === 'query')) {
    const list = typeOf(page, scope, '  ')
    return `Pages<${inputName}, ${answer}, ${/^[\w$]+$/.test(list) ? list : `(${list})`}['items'][number]>`
  }
  return `${isConditional(call, scope) ? 'Conditional' : 'Call'}<${inputName}, ${answer}>`
}

/** What the client's own part has to know of an operation. Members without a use are absent. */
function entryOf({ method, path, operation, parameters }: Call, scope: TypeScope): JsonObject {
  const [media] = Object.keys(asObject(resolve(operation.requestBody, scope.document).content))
  const of = (place: Parameter['place']) => parameters.filter((parameter) => parameter.place === place)
  const headers = of('header').map(({ member, name }) => [member, name])
  const query = of('query').filter(({ member, name }) => member !== name)
  const commas = of('query').filter(({ source }) => source.explode === false)
  return {
    method: method.toUpperCase(),
    path,
    ...(media === undefined ? {} : { media }),
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
    ...(query.length > 0 ? { query: Object.fromEntries(query.map(({ member, name }) => [member, name])) } : {}),
    ...(commas.length > 0 ? { commas: commas.map(({ member }) => member) } : {}),
    ...(isFile(operation, scope) ? { file: true } : {}),
  }
}

function listSuccesses(operation: JsonObject, { document }: TypeScope): { status: string; response: JsonObject }[] {
  return Object.entries(asObject(operation.responses))
    .filter(([status]) => /^2/.test(status))
    .map(([status, response]) => ({ status, response: resolve(response, document) }))
}

/** Whether the answer is a file or a stream: its first media type is not JSON. */
function isFile(operation: JsonObject, scope: TypeScope): boolean {
  const [media] = listSuccesses(operation, scope).flatMap(({ response }) => Object.keys(asObject(response.content)))
  return media !== undefined && !isJson(media)
}

/** Whether 304 is an answer of its own, and not just the status of a response. */
function isConditional({ operation, parameters }: Call, scope: TypeScope): boolean {
  const asks = parameters.some(({ member, place }) => member === 'ifNoneMatch' && place === 'header')
  return asks && '304' in asObject(operation.responses) && !isFile(operation, scope)
}

function isPage(schema: JsonObject, document: JsonObject): boolean {
  const { items, next_cursor } = asObject(resolve(schema, document).properties)
  return asObject(items).type === 'array' && isObject(next_cursor)
}

function isJson(media: string): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(media)
}

/** Follows a reference, if it is one. */
function resolve(value: unknown, document: JsonObject): JsonObject {
  const { $ref } = asObject(value)
  return typeof $ref === 'string' ? asObject(followReference($ref, document)) : asObject(value)
}

function summaryOf({ summary, description }: JsonObject): string {
  const texts = [summary, description].filter((text) => typeof text === 'string')
  return commentOf(texts.join('.\n\n'), '  ')
}

function commentText(value: unknown): string {
  return String(value ?? '').replaceAll('*/', '')
}
