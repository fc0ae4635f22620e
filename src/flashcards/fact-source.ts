// Converts the members that facts had until version 2 of archives and version 3 of the JSON export to those of today.

interface FormerMembers {
  readonly external_id?: unknown
  readonly source_note_id?: unknown
  readonly source_url?: unknown
}

/** Reads the id of a fact in Anki or another program, as migration 0027 does. */
export function readExternalId(external_id: string): { readonly system: string; readonly id: string } {
  const [, guid] = /^anki:(.+)$/s.exec(external_id) ?? []
  return guid === undefined ? { system: 'external', id: external_id } : { system: 'anki', id: guid }
}

/** Returns the id of one card's part of a note of several cards, as older versions and CSV have it. */
export function writePartId(guid: string, ordinal: number): string {
  return `${guid}#${ordinal}`
}

/** Returns the guid of the note whose part has this id; null if it is not the id of a part. */
export function readWholeId(id: string): string | null {
  return /^(.+)#\d{1,3}$/s.exec(id)?.[1] ?? null
}

/** Replaces the former members of a fact. Returns any other value unchanged. */
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
