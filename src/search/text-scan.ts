/** Searches the texts themselves, within a limit, for what the index cannot decide. */
import type { Session } from '../db/database'
import { listByDocs } from './find-store'
import { fold } from './fold'
import type { Masks } from './masks'
import type { TextLeaf } from './query'
import { listFields, type SearchSources, type Type } from './source'
import type { IndexView } from './view'

/** Texts that are read for one piece of text. */
const MAX_TEXTS = 500
/** Texts that are read in one query. */
const TEXTS_PER_READ = 16
/** UTF-16 units of texts after which no more are read, for all pieces of a query together. */
const MAX_UNITS = 1024 * 1024

/** Reads texts for one search, within its limits. */
export class TextScan {
  /** Whether it stopped at a limit, so that further texts may match. */
  limited = false
  readonly #session: Session
  readonly #view: IndexView
  readonly #sources: SearchSources
  readonly #types: readonly Type[]
  #unitsLeft = MAX_UNITS

  constructor(session: Session, view: IndexView, sources: SearchSources, types: readonly Type[]) {
    this.#session = session
    this.#view = view
    this.#sources = sources
    this.#types = types
  }

  /** Keeps in the masks the documents of which a folded text matches. Of very many documents, the newest are read. */
  async keepMatching(masks: Masks, holds: (folded: string) => boolean, field: TextLeaf['field']): Promise<void> {
    const places = new Map<number, { readonly part: number; readonly number: number }>()
    for (let part = masks.length - 1; part >= 0; part--) {
      const [mask, docs, living] = [masks[part], this.#view.parts[part]?.docs, this.#view.current[part]]
      for (let number = (mask?.length ?? 0) - 1; mask && docs && number >= 0; number--) {
        if (mask[number] === 1 && living?.[number] === 1) {
          if (places.size < MAX_TEXTS) places.set(docs[number] as number, { part, number })
          else this.limited = true
        }
        mask[number] = 0
      }
    }
    const docs = [...places.keys()]
    for (let at = 0; at < docs.length; at += TEXTS_PER_READ) {
      if (this.#unitsLeft <= 0) {
        this.limited = true
        return
      }
      for (const doc of await this.#filterMatching(docs.slice(at, at + TEXTS_PER_READ), holds, field)) {
        const place = places.get(doc)
        const mask = masks[place?.part ?? -1]
        if (mask && place) mask[place.number] = 1
      }
      await this.#view.yieldTurn()
    }
  }

  /** Returns the documents with a matching text. */
  async #filterMatching(
    docs: readonly number[],
    holds: (folded: string) => boolean,
    field: TextLeaf['field'],
  ): Promise<number[]> {
    const { db, workspace } = this.#session
    const rows = await listByDocs(db, workspace.id, docs)
    const found: number[] = []
    for (const type of this.#types) {
      const docsByKey = new Map(rows.filter((row) => row.type === type).map(({ key, doc }) => [key, doc]))
      if (docsByKey.size === 0) continue
      for (const [key, texts] of await this.#sources[type].readTexts(db, workspace.id, [...docsByKey.keys()])) {
        const fields = listFields(texts, field)
        for (const one of fields) this.#unitsLeft -= one.length
        const doc = docsByKey.get(key)
        if (doc !== undefined && fields.some((one) => holds(fold(one)))) found.push(doc)
      }
    }
    return found
  }
}
