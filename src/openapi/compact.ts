/**
 * Says in fewer bytes what the OpenAPI document says, for programs: every type, with the first clauses of the texts and
 * without examples. Pure.
 */
import {
  asObject,
  DATA_KEYWORDS,
  isObject,
  type JsonObject,
  listReferences,
  mapInTurns,
  mapValues,
} from './json-schema'

/**
 * Returns the document without examples and with shorter texts. No type changes.
 * @param document with references to its named schemas, as withReferences returns it
 */
export async function compactDocument(document: JsonObject): Promise<JsonObject> {
  const { paths, components, ...rest } = document
  const { schemas, responses, ...others } = asObject(components)
  const sent = listReferences(Object.values(asObject(paths)).flatMap(bodiesOf), asObject(schemas))
  return {
    ...rest,
    paths: await mapInTurns(asObject(paths), (item) =>
      shortenTexts(mapValues(asObject(item), (one) => toShortOperation(asObject(one)))),
    ),
    components: {
      ...asObject(
        shortenTexts({
          ...asObject(drop(NOT_SENT, others)),
          responses: mapValues(asObject(responses), toShortResponse),
        }),
      ),
      schemas: await mapInTurns(asObject(schemas), (schema, name) =>
        shortenTexts(drop(sent.has(name) ? NOT_SENT : NOT_ANSWERED, schema)),
      ),
    },
  }
}

function bodiesOf(item: unknown): unknown[] {
  return Object.values(asObject(item)).map((operation) => asObject(operation).requestBody)
}

/** Keywords that are dropped of what is sent. That objects are closed is left out, since some generators need it so. */
const NOT_SENT = new Set(['additionalProperties', 'examples'])
/** Those of answers: also limits, on which a client must not rely, since a later server may say more. */
const NOT_ANSWERED = new Set([
  ...NOT_SENT,
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
])

/** Drops keywords from all schemas in a part of the document, but `additionalProperties` only where it is no schema. */
function drop(keywords: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => drop(keywords, one))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, inner]) => !keywords.has(key) || isObject(inner))
  return mapValues(Object.fromEntries(kept), (inner, key) => {
    if (key === 'properties') return mapValues(asObject(inner), (member) => drop(keywords, member))
    return DATA_KEYWORDS.has(key) ? inner : drop(keywords, inner)
  })
}

function toShortOperation({ responses, ...operation }: JsonObject): JsonObject {
  return { ...asObject(drop(NOT_SENT, operation)), responses: mapValues(asObject(responses), toShortResponse) }
}

/** Drops the example of a response, but for the error that shows the form of all. */
function toShortResponse(value: unknown, name?: string): unknown {
  const { content, description, ...rest } = asObject(value)
  if ('$ref' in rest) return value
  const media = mapValues(asObject(content), (one) => {
    const { example, schema, ...others } = asObject(one)
    const shown = name === 'Problem' ? { example } : {}
    return { ...others, ...shown, schema: drop(NOT_ANSWERED, schema) }
  })
  // The codes are explained where the description of Problem says.
  const text = String(description).replaceAll(/\[(`\w+`)\]\(\/docs\/errors#\w+\)/g, '$1')
  return { description: text, ...rest, ...(isObject(content) ? { content: media } : {}) }
}

function shortenTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortenTexts)
  if (!isObject(value)) return value
  return mapValues(value, (inner, key) => {
    if (key === 'responses') return mapValues(asObject(inner), keepText)
    if (DATA_KEYWORDS.has(key)) return inner
    if (key === 'properties') return mapValues(asObject(inner), shortenTexts)
    return key === 'description' && typeof inner === 'string' ? shorten(inner) : shortenTexts(inner)
  })
}

/** Shortens the texts below a response, whose own names the codes of errors. */
function keepText(response: unknown): unknown {
  const { description, ...rest } = asObject(response)
  return { ...(description === undefined ? {} : { description }), ...asObject(shortenTexts(rest)) }
}

/** Cuts a text to its first sentence, and that to its first clause, unless a colon explains a single word. */
function shorten(text: string): string {
  const [first = ''] = text.split(/(?<=[.!?])\s+(?=[A-Z`[])/)
  const ends = [...first.matchAll(/; |(?<=\S+ \S+ \S+): /g)].map(({ index }) => index)
  const end = ends.find((at) => first.slice(0, at).split('`').length % 2 === 1)
  return end === undefined ? first : `${first.slice(0, end)}.`
}
