/** Reads the OpenAPI document into what its pages show: groups of operations. Pure. */
import { asList, asObject, isObject, type JsonObject } from './json-schema'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export interface Parameter {
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  readonly description: string
  readonly schema: JsonObject
}

export interface Content {
  readonly mediaType: string
  readonly schema: JsonObject
  /** An example of the whole, if the document has one. */
  readonly example: unknown
}

export interface Answer {
  readonly status: number
  /** Markdown. */
  readonly description: string
  readonly contents: readonly Content[]
}

export interface Operation {
  readonly id: string
  /** In capitals. */
  readonly method: string
  /** From the root, with names in braces. */
  readonly path: string
  readonly summary: string
  /** Markdown. */
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly isRequired: boolean; readonly contents: readonly Content[] } | null
  readonly answers: readonly Answer[]
}

/** The operations of one tag, which are on one page. */
export interface Group {
  readonly name: string
  /** The last part of the page's address. */
  readonly slug: string
  readonly description: string
  readonly operations: readonly Operation[]
}

/** Returns the last part of the address of a tag's page: `Folders, tags and filters` is `folders-tags-and-filters`. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** In the order of the document's tags. One without an operation is left out. */
export function readGroups(document: JsonObject): Group[] {
  const operations = listOperations(document)
  const groups = asList(document.tags).map((tag) => {
    const { name, description } = asObject(tag)
    const own = operations.filter(({ tags }) => tags.includes(name)).map(({ operation }) => operation)
    return { name: String(name), slug: slugOf(String(name)), description: String(description ?? ''), operations: own }
  })
  return groups.filter((group) => group.operations.length > 0)
}

function listOperations(document: JsonObject): { tags: unknown[]; operation: Operation }[] {
  return Object.entries(asObject(document.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const source = asObject(item)[method]
      if (!isObject(source)) return []
      return [{ tags: asList(source.tags), operation: readOperation(document, method, path, source) }]
    }),
  )
}

function readOperation(document: JsonObject, method: string, path: string, source: JsonObject): Operation {
  const body = resolve(document, source.requestBody)
  return {
    id: String(source.operationId),
    method: method.toUpperCase(),
    path,
    summary: String(source.summary ?? source.operationId),
    description: String(source.description ?? ''),
    parameters: asList(source.parameters).map((parameter) => readParameter(resolve(document, parameter))),
    body: source.requestBody
      ? { isRequired: body.required === true, contents: readContents(document, body.content) }
      : null,
    // The errors of any request (`default`) are said once, on the overview.
    answers: Object.entries(asObject(source.responses)).flatMap(([status, response]) => {
      if (status === 'default') return []
      const { description, content } = resolve(document, response)
      const contents = Number(status) < 300 ? readContents(document, content) : []
      return [{ status: Number(status), description: String(description ?? ''), contents }]
    }),
  }
}

function readParameter({ name, in: place, required, description, schema }: JsonObject): Parameter {
  return {
    name: String(name),
    place: place === 'path' || place === 'header' ? place : 'query',
    isRequired: required === true,
    description: String(description ?? asObject(schema).description ?? ''),
    schema: asObject(schema),
  }
}

function readContents(document: JsonObject, content: unknown): Content[] {
  return Object.entries(asObject(content)).map(([mediaType, value]) => {
    const media = asObject(value)
    const [first] = [...asList(media.examples), ...asList(resolve(document, media.schema).examples)]
    return { mediaType, schema: asObject(media.schema), example: media.example ?? first }
  })
}

/** Returns what a reference inside the document refers to, or the value itself if it is none. */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  const found = asObject(value)
  if (typeof found.$ref !== 'string') return found
  const steps = found.$ref.slice(2).split('/')
  return resolve(
    document,
    steps.reduce<unknown>((at, step) => asObject(at)[step], document),
  )
}
