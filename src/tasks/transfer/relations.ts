import type { Warning } from '../ical/item'
import { LEVELS, PARTS } from '../place'

/** Which of the relations that a file wishes can be, decided before any is written: so a dry run knows as well. */

/** How a task stands to others. */
export interface Standing {
  readonly parent: string | null
  readonly blockers: readonly string[]
  readonly living: boolean
}

/** What a file says of a task, by ids: of others that there are. */
export interface Wish {
  readonly id: string
  readonly parent: string | null
  readonly blockers: readonly string[]
}

/** What comes of it. */
export interface Granted extends Wish {
  readonly warnings: readonly Warning[]
  /** Levels above it in the tree that the wishes lead to. */
  readonly depth: number
}

/** Steps of one search for circles in all. Only a file whose every task waits for every other needs more. */
const STEPS = 500_000

/**
 * Grants each wish in its turn, unless it closes a circle, makes a ninth level or a part too many: that edge is dropped.
 * @param standing of all that is wished for, of all above and below it, and of all that it waits for
 */
export function grant(wishes: readonly Wish[], standing: ReadonlyMap<string, Standing>): Granted[] {
  const trees = new Forest(wishes, standing)
  const parents = wishes.map(({ id, parent }) => ({ parent, fault: parent === null ? null : trees.attach(id, parent) }))
  const dropped = circular(wishes, standing)
  return wishes.map((wish, i) => {
    const { parent = null, fault = null } = parents[i] ?? {}
    const blockers = wish.blockers.filter((blocker) => !dropped.has(edgeName(wish.id, blocker)))
    const lost = wish.blockers.length - blockers.length
    const warnings = [
      ...(fault ? [fault] : []),
      ...(lost > 0 ? [{ code: 'dependency_cycle', detail: CIRCLE(lost) }] : []),
    ]
    return { id: wish.id, parent: fault ? null : parent, blockers, warnings, depth: trees.depth(wish.id) }
  })
}

const CIRCLE = (lost: number) =>
  `Tasks would wait for each other in a circle: ${lost} of what it waits for was left out.`

class Forest {
  readonly #standing: ReadonlyMap<string, Standing>
  readonly #parents = new Map<string, string | null>()
  /** Levels below a task, where there are any; and its living parts. */
  readonly #heights = new Map<string, number>()
  readonly #parts = new Map<string, number>()

  /** All as it stands, but those that are to go elsewhere, which begin without a parent. */
  constructor(wishes: readonly Wish[], standing: ReadonlyMap<string, Standing>) {
    this.#standing = standing
    for (const [id, { parent }] of standing) this.#parents.set(id, parent)
    for (const { id, parent } of wishes) if (this.#parents.get(id) !== parent) this.#parents.set(id, null)
    for (const [id, parent] of this.#parents) if (parent !== null) this.#add(id, parent)
  }

  /** Makes a task a part of another, or says why it cannot be. */
  attach(id: string, parent: string): Warning | null {
    if (this.#parents.get(id) === parent) return null
    if (this.#standing.get(parent)?.living === false)
      return { code: 'parent_in_trash', detail: 'The task that it is a part of is in the trash.' }
    const above = [parent, ...this.#above(parent)]
    if (above.includes(id)) return { code: 'parent_cycle', detail: 'The task would be a part of itself.' }
    if (above.length + 1 + (this.#heights.get(id) ?? 0) > LEVELS)
      return { code: 'too_deep', detail: `Tasks nest at most ${LEVELS} levels deep: it became no part.` }
    if ((this.#parts.get(parent) ?? 0) >= PARTS)
      return { code: 'too_many_parts', detail: `A task has at most ${PARTS} parts: it became none.` }
    this.#parents.set(id, parent)
    this.#add(id, parent)
    return null
  }

  depth(id: string): number {
    return this.#above(id).length
  }

  #above(id: string): string[] {
    const above: string[] = []
    for (
      let up = this.#parents.get(id) ?? null;
      up !== null && above.length < LEVELS;
      up = this.#parents.get(up) ?? null
    )
      above.push(up)
    return above
  }

  #add(id: string, parent: string): void {
    if (this.#standing.get(id)?.living !== false) this.#parts.set(parent, (this.#parts.get(parent) ?? 0) + 1)
    let height = this.#heights.get(id) ?? 0
    for (const up of [parent, ...this.#above(parent)]) {
      height++
      if ((this.#heights.get(up) ?? 0) < height) this.#heights.set(up, height)
    }
  }
}

type Edges = Map<string, readonly string[]>

/** The wished edges that would close a circle, each by its name: the last one of each circle, in the file's order. */
function circular(wishes: readonly Wish[], standing: ReadonlyMap<string, Standing>): ReadonlySet<string> {
  const all: Edges = new Map([...standing].map(([id, { blockers }]) => [id, blockers]))
  for (const { id, blockers } of wishes) all.set(id, blockers)
  const tangled = onCircles(all)
  const dropped = new Set<string>()
  if (tangled.size === 0) return dropped
  const wished = new Set(wishes.map(({ id }) => id))
  const kept = new Map([...tangled].map((id) => [id, wished.has(id) ? [] : [...(all.get(id) ?? [])]]))
  const steps = { left: STEPS }
  for (const { id, blockers } of wishes)
    for (const blocker of blockers) {
      if (!tangled.has(id) || !tangled.has(blocker)) continue
      if (leadsTo(kept, blocker, id, steps)) dropped.add(edgeName(id, blocker))
      else kept.get(id)?.push(blocker)
    }
  return dropped
}

/** The tasks that may be on a circle: what is left when all is taken off that waits for nothing, or that nothing waits for. */
export function onCircles(edges: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const backwards = new Map<string, string[]>()
  for (const [id, blockers] of edges)
    for (const blocker of blockers) {
      const others = backwards.get(blocker)
      if (others) others.push(id)
      else backwards.set(blocker, [id])
    }
  const ids = new Set([...edges.keys(), ...backwards.keys()])
  peel(ids, edges, backwards)
  peel(ids, backwards, edges)
  return ids
}

/** Takes off, one after the other, whatever has no edge left in `out`. */
function peel(
  ids: Set<string>,
  out: ReadonlyMap<string, readonly string[]>,
  back: ReadonlyMap<string, readonly string[]>,
): void {
  const left = new Map<string, number>()
  for (const id of ids) left.set(id, (out.get(id) ?? []).filter((other) => ids.has(other)).length)
  const free = [...ids].filter((id) => left.get(id) === 0)
  for (const id of free) {
    ids.delete(id)
    for (const other of back.get(id) ?? []) {
      const rest = (left.get(other) ?? 0) - 1
      left.set(other, rest)
      if (rest === 0) free.push(other)
    }
  }
}

/** Whether a way leads from one task to another; when the steps are used up, it is taken for one. */
function leadsTo(edges: ReadonlyMap<string, readonly string[]>, from: string, to: string, steps: { left: number }) {
  const seen = new Set([from])
  for (const id of seen) {
    if (id === to) return true
    for (const next of edges.get(id) ?? []) seen.add(next)
    if (--steps.left < 0) return true
  }
  return false
}

function edgeName(dependent: string, blocker: string): string {
  return `${dependent} ${blocker}`
}
