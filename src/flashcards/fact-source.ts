import { invalid } from '../http/api-error'
import { isStorable } from '../http/body'
import { requireLength } from '../http/values'
import type { FactSource, FactSourceInput } from './fact-schema'

/** Where a fact came from, checked and as it is stored. */

/** In code points. */
const SYSTEM_LENGTH = 50
const ID_LENGTH = 500
const URL_LENGTH = 2000

/** The columns of a source. System and id are set together. */
export interface SourceColumns {
  readonly source_system: string | null
  readonly source_id: string | null
  readonly source_url: string | null
}

/** Null for one that says nothing. Throws invalid_request at the member that is wrong. */
export function readFactSource(given: FactSourceInput | null | undefined): FactSource | null {
  const { system = null, id = null, url = null } = given ?? {}
  if (system === null && id !== null) throw together('/source/system')
  if (system !== null && id === null) throw together('/source/id')
  const source = {
    system: checkedName(system, '/source/system', SYSTEM_LENGTH),
    id: checkedName(id, '/source/id', ID_LENGTH),
    url: checkedUrl(url),
  }
  return source.system === null && source.url === null ? null : source
}

/** Applies a merge patch: absent members stay, null clears. What comes of it is to be checked. */
export function patchSource(old: FactSource | null, patch: FactSourceInput | null | undefined): FactSourceInput | null {
  return patch === null ? null : { ...old, ...patch }
}

export function factSourceColumns(source: FactSource | null): SourceColumns {
  return {
    source_system: source?.system ?? null,
    source_id: source?.id ?? null,
    source_url: source?.url ?? null,
  }
}

export function factSourceOf({ source_system, source_id, source_url }: SourceColumns): FactSource | null {
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
  requireLength(url, URL_LENGTH, '/source/url')
  if (!/^https?:\/\//i.test(url) || /[\s\p{Cc}]/u.test(url) || !isStorable(url) || !URL.canParse(url))
    throw invalid('/source/url', 'invalid_url', 'source/url must be an http or https address')
  return url
}

/** The members that facts had until version 2 of archives and version 3 of the JSON export, and what is made of them. */

interface FormerMembers {
  readonly external_id?: unknown
  readonly source_note_id?: unknown
  readonly source_url?: unknown
}

/** The name by which Anki, or else some other program, knows a fact. As the migration 0027 has it. */
export function readExternalId(external_id: string): { readonly system: string; readonly id: string } {
  const [, guid] = /^anki:(.+)$/s.exec(external_id) ?? []
  return guid === undefined ? { system: 'external', id: external_id } : { system: 'anki', id: guid }
}

/** A fact that was written with the members of before, with those of today; any other value as it is. */
export function withSource(fact: unknown): unknown {
  if (!hasFormerMembers(fact)) return fact
  const { external_id, source_note_id, source_url, ...others } = fact
  const name = typeof external_id === 'string' ? readExternalId(external_id) : { system: null, id: external_id ?? null }
  return {
    note_ids: source_note_id == null ? [] : [source_note_id],
    source: name.id === null && source_url == null ? null : { ...name, url: source_url ?? null },
    ...others,
  }
}

function hasFormerMembers(fact: unknown): fact is FormerMembers {
  return typeof fact === 'object' && fact !== null && 'external_id' in fact && !('source' in fact || 'note_ids' in fact)
}
