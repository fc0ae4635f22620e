import { invalid } from './api-error'
import { isStorable } from './body'
import type { Source, SourceInput } from './schema'
import { MAX_SOURCE_CHARS, requireLength } from './values'

/** Where a resource came from. Without the schemas, which Workers would load for nothing. */

/** The columns of a source. System and id are set together. */
export interface SourceColumns {
  readonly source_system: string | null
  readonly source_id: string | null
  readonly source_url: string | null
}

/** Checks a source; one that says nothing is null. Throws invalid_request at the member that is wrong. */
export function readSource(input: SourceInput | null | undefined): Source | null {
  const { system = null, id = null, url = null } = input ?? {}
  if (system === null && id !== null) throw together('/source/system')
  if (system !== null && id === null) throw together('/source/id')
  const source = {
    system: checkedName(system, '/source/system', MAX_SOURCE_CHARS.system),
    id: checkedName(id, '/source/id', MAX_SOURCE_CHARS.id),
    url: checkedUrl(url),
  }
  return source.system === null && source.url === null ? null : source
}

/** Applies a merge patch: absent members stay, null clears. The result is to be checked by readSource. */
export function patchSource(old: Source | null, patch: SourceInput | null | undefined): SourceInput | null {
  return patch === null ? null : { ...old, ...patch }
}

export function columnsOfSource(source: Source | null): SourceColumns {
  return { source_system: source?.system ?? null, source_id: source?.id ?? null, source_url: source?.url ?? null }
}

export function sourceOfRow({ source_system, source_id, source_url }: SourceColumns): Source | null {
  if (source_system === null && source_url === null) return null
  return { system: source_system, id: source_id, url: source_url }
}

function together(pointer: string) {
  return invalid(pointer, 'required', 'system and id of a source must be given together')
}

function checkedName(name: string | null, pointer: string, max: number): string | null {
  if (name === null) return null
  if (name === '') throw invalid(pointer, 'too_short', `${pointer.slice(1)} must not be empty`)
  if (!isStorable(name))
    throw invalid(pointer, 'unstorable_text', `${pointer.slice(1)} must not hold NUL or half a surrogate pair`)
  requireLength(name, max, pointer)
  return name
}

function checkedUrl(url: string | null): string | null {
  if (url === null) return null
  requireLength(url, MAX_SOURCE_CHARS.url, '/source/url')
  if (!/^https?:\/\//i.test(url) || /[\s\p{Cc}]/u.test(url) || !isStorable(url) || !URL.canParse(url))
    throw invalid('/source/url', 'invalid_url', 'source/url must be an http or https address')
  return url
}
