import type { Session } from '../../db/database'
import { titleKey } from '../../lib/text'
import { type FormerName, formerNames } from './former-store'
import { pathOf, STEP } from './names'
import { firstOf, type Hit } from './resolution'
import { byId, isSpellable, type Respelling } from './rewrite'
import { type LinkTo, resolve } from './store'

/** What a note is called, and where it stands. */
export interface Place {
  readonly id: string
  readonly title: string
  readonly folder: string | null
}

/** A rename of one note or of many. */
export interface Rename {
  /** Under which the former names are kept. */
  readonly id: string
  /** Whether titles are other ones; else only folders are. */
  readonly titled: boolean
}

/** By the key of the linking note: its targets that must be spelled anew, as titles are compared. */
export type Plan = Map<number, Map<string, Respelling>>

/** Links that are spelled alike, led to one note in one way, and stand in one folder by now: they fare alike. */
interface Group {
  readonly to: number
  readonly step: Hit['step']
  readonly target: string
  readonly folder: string
}

/**
 * How links that led to renamed notes by their former names are to be spelled, so that they lead there still. Those that do
 * so as they are, and those that lead elsewhere, are not told. All renamed notes must have their new names by now.
 * @param places where the renamed notes are in the end, by their keys
 * @param folder as names are compared: where the linking note will be; null: where it is
 */
export async function respell(
  session: Session,
  { id, titled }: Rename,
  links: readonly LinkTo[],
  places: (keys: readonly number[]) => Promise<ReadonlyMap<number, Place>>,
  folder: string | null = null,
): Promise<Plan> {
  const { db, workspace } = session
  const keys = [...new Set(links.map(({ resolved }) => resolved))]
  const former = Map.groupBy(await formerNames(db, workspace.id, id, keys), ({ of }) => of)
  const groups = new Map<string, Group>()
  const grouped: { readonly link: LinkTo; readonly group: string }[] = []
  for (const link of links) {
    const step = stepOf(former.get(link.resolved) ?? [], link)
    if (step === null) continue
    const group = { to: link.resolved, step, target: link.target_key, folder: folder ?? link.folder_key }
    const key = JSON.stringify(Object.values(group))
    groups.set(key, group)
    grouped.push({ link, group: key })
  }
  if (groups.size === 0) return new Map()
  const spellings = await respellGroups(session, groups, titled, await places([...former.keys()]))
  const plan: Plan = new Map()
  for (const { link, group } of grouped) {
    const spelling = spellings.get(group)
    if (!spelling) continue
    const ofSource = plan.get(link.source) ?? new Map<string, Respelling>()
    plan.set(link.source, ofSource.set(link.target_key, spelling))
  }
  return plan
}

async function respellGroups(
  { db, workspace }: Session,
  groups: ReadonlyMap<string, Group>,
  titled: boolean,
  places: ReadonlyMap<number, Place>,
): Promise<Map<string, Respelling>> {
  const hits = (await resolve(db, workspace.id, [...groups.values()])).map(firstOf)
  const led = [...groups].flatMap(([key, group], i) => {
    const place = places.get(group.to)
    if (!place || (hits[i]?.key === group.to && isUntouched(group.step, titled))) return []
    return [{ key, group, place, target: group.step === 'by_path' ? pathOf(place) : place.title }]
  })
  const wanted = led.map(({ group, target }) => ({ target: titleKey(target), folder: group.folder }))
  const anew = (await resolve(db, workspace.id, wanted)).map(firstOf)
  return new Map(
    led.map(({ key, group, place, target }, i) => {
      const safe = byId(place.id, place.title)
      const leadsThere = anew[i]?.key === group.to && isSpellable(target)
      return [key, { wanted: leadsThere ? { target, display: null } : safe, safe }]
    }),
  )
}

/** Whether a link says nothing of what has changed: an id or an alias never does, a title not of the folder. */
function isUntouched(step: Hit['step'], titled: boolean): boolean {
  if (step === 'by_id' || step === 'by_alias') return true
  return step !== 'by_path' && !titled
}

/** By which of its former names a link led to its note, the first in the order of resolution; null if by none. */
function stepOf(former: readonly FormerName[], { target_key: target, folder_key }: LinkTo): Hit['step'] | null {
  const has = (step: number, key: string) => former.some((name) => name.step === step && name.key === key)
  if (has(STEP.id, target)) return 'by_id'
  if (!target.startsWith('/') && has(STEP.path, target)) return 'by_path'
  if (has(STEP.path, `${folder_key}/${target}`)) return 'in_folder'
  if (has(STEP.title, target)) return 'by_title'
  return has(STEP.alias, target) ? 'by_alias' : null
}
