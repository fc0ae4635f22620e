import { parseJson } from '../../http/body'
import { invalid } from '../../http/problem'
import type { ReadItem } from '../../imports/kind'
import type { ImportParams } from './schema'
import { decodeText } from './text'

/**
 * Our own export: `{ format, version, resources }`, where each resource is the line that the archive of the workspace has
 * of it, under its type: `{ "deck": { … } }`. What others refer to comes first. The bytes of media are not in it.
 */

export const FORMAT = 'satchel-flashcards'
/** Grows when an older reader would misread what a newer writer tells. */
export const VERSION = 2

const TYPES = ['study_settings', 'deck', 'fact', 'card', 'review', 'media'] as const

/** A resource as the file has it. */
export type Exported = Partial<Readonly<Record<(typeof TYPES)[number], object>>>

/** The file in pieces, one per resource. */
export async function* writeJson(resources: AsyncIterable<Exported>): AsyncGenerator<string> {
  yield `{"format":"${FORMAT}","version":${VERSION},"resources":[`
  let between = '\n'
  for await (const resource of resources) {
    yield between + JSON.stringify(resource)
    between = ',\n'
  }
  yield '\n]}\n'
}

/**
 * Reads the file; what a resource holds is checked where it is merged. Throws invalid_request for another format or
 * version, invalid_json for what is not JSON.
 */
export function* readJson(
  bytes: Uint8Array,
  params: Pick<ImportParams, 'scheduling' | 'deck_id'>,
): Generator<ReadItem> {
  const { format, version, resources } = membersOf(parseJson(decodeText(bytes)))
  if (format !== FORMAT) throw invalid('/format', 'unknown_format', `The file must be an export: "${FORMAT}".`)
  if (version !== VERSION) throw invalid('/version', 'unknown_version', `The export must be of version ${VERSION}.`)
  if (!Array.isArray(resources)) throw invalid('/resources', 'invalid_value', 'resources must be a list')
  for (const [index, resource] of resources.entries()) {
    const where = `resources[${index}]`
    const [[name, value] = [], ...more] = Object.entries(membersOf(resource))
    const type = TYPES.find((one) => one === name)
    if (!type || more.length > 0)
      yield { where, type: 'resource', fault: { code: 'invalid_value', detail: `${where} is not as exported.` } }
    else if (params.scheduling !== 'drop' || (type !== 'card' && type !== 'review'))
      yield { where, type, value: type === 'deck' ? placed(value, params) : value }
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {}
}

/** A deck at the top goes into the one that the request names. */
function placed(value: unknown, { deck_id }: Pick<ImportParams, 'deck_id'>): unknown {
  const deck = membersOf(value)
  return deck_id !== undefined && deck.parent_id === null ? { ...deck, parent_id: deck_id } : value
}
