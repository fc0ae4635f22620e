import type { Queries } from '../../src/db/database'

/** What in the tables of tasks contradicts itself, in words: all that is kept of other rows is counted anew here. */
export async function taskContradictions(db: Queries): Promise<string[]> {
  const tables: Tables = {
    tasks: await db.all('SELECT * FROM tasks'),
    edges: await db.all('SELECT dependent, blocker, since FROM task_edges'),
    completions: await db.all("SELECT key, task FROM task_completions WHERE kind = 'done'"),
    labels: await db.all('SELECT key, id, name, count FROM task_labels'),
    uses: await db.all('SELECT label, task FROM task_label_uses'),
    notes: await db.all('SELECT note_id, task FROM task_note_uses'),
    projects: await db.all('SELECT workspace, id, open, done FROM task_projects'),
    changes: await db.all("SELECT workspace, id, revision, op, changed_at FROM changes WHERE type = 'task'"),
  }
  return [relations, computed, counts, trees, orders, feed].flatMap((check) => check(tables))
}

interface Task {
  readonly key: number
  readonly workspace: string
  readonly id: string
  readonly revision: number
  readonly updated_at: number
  readonly deleted_at: number | null
  readonly trashed_with: string | null
  readonly closed: number
  readonly labels: string
  readonly note_ids: string
  readonly blocked_by: string
  readonly parent_id: string | null
  readonly project_id: string | null
  readonly section_id: string | null
  readonly former_project_id: string | null
  readonly place: string
  readonly position: string
  readonly blockers: number
  readonly held_up: number
  readonly subtasks_total: number
  readonly subtasks_done: number
}

interface Tables {
  readonly tasks: readonly Task[]
  readonly edges: readonly { dependent: number; blocker: number; since: number }[]
  readonly completions: readonly { key: number; task: number }[]
  readonly labels: readonly { key: number; id: string; name: string; count: number }[]
  readonly uses: readonly { label: number; task: number }[]
  readonly notes: readonly { note_id: string; task: number }[]
  readonly projects: readonly { workspace: string; id: string; open: number; done: number }[]
  readonly changes: readonly { workspace: string; id: string; revision: number; op: string; changed_at: number }[]
}

const isLiving = ({ deleted_at }: Task) => deleted_at === null
const isToDo = (task: Task) => isLiving(task) && task.closed === 0
const byId = (tasks: readonly Task[]) => new Map(tasks.map((task) => [`${task.workspace} ${task.id}`, task]))
const byKey = (tasks: readonly Task[]) => new Map(tasks.map((task) => [task.key, task]))

function unequal(what: string, task: Task, kept: unknown, counted: unknown): string[] {
  const [one, other] = [JSON.stringify(kept), JSON.stringify(counted)]
  return one === other ? [] : [`${what} of task ${task.id}: ${one}, not ${other}`]
}

/** The lists of a task, and the rows that stand for them. */
function relations({ tasks, edges, labels, uses, notes }: Tables): string[] {
  const keyed = byKey(tasks)
  const blockers = Map.groupBy(edges, ({ dependent }) => dependent)
  const names = new Map(labels.map(({ key, name }) => [key, name]))
  const carried = Map.groupBy(uses, ({ task }) => task)
  const spoken = Map.groupBy(notes, ({ task }) => task)
  return tasks.flatMap((task) => {
    const ids = (blockers.get(task.key) ?? []).map(({ blocker }) => keyed.get(blocker)?.id)
    const labelled = (carried.get(task.key) ?? []).map(({ label }) => names.get(label))
    const speaks = (spoken.get(task.key) ?? []).map(({ note_id }) => note_id)
    return [
      ...unequal('blocked_by', task, JSON.parse(task.blocked_by).sort(), ids.sort()),
      ...unequal('labels', task, JSON.parse(task.labels).sort(), labelled.sort()),
      ...unequal('note_ids', task, JSON.parse(task.note_ids).sort(), speaks.sort()),
    ]
  })
}

/** What a task shows of others. */
function computed({ tasks, edges, completions }: Tables): string[] {
  const keyed = byKey(tasks)
  const done = Map.groupBy(completions, ({ task }) => task)
  const open = edges.filter(({ blocker, since }) => {
    const task = keyed.get(blocker)
    return task && isToDo(task) && !(done.get(blocker) ?? []).some(({ key }) => key > since)
  })
  const parts = Map.groupBy(tasks.filter(isLiving), ({ workspace, parent_id }) => `${workspace} ${parent_id}`)
  return tasks.flatMap((task) => {
    const blockers = open.filter(({ dependent }) => dependent === task.key)
    const held = open.filter(({ blocker, dependent }) => {
      const waiting = keyed.get(dependent)
      return blocker === task.key && waiting && isToDo(waiting)
    })
    const own = parts.get(`${task.workspace} ${task.id}`) ?? []
    const kept = [task.blockers, task.held_up, task.subtasks_total, task.subtasks_done]
    return unequal('computed members', task, kept, [
      blockers.length,
      held.length,
      own.length,
      own.filter(({ closed }) => closed === 1).length,
    ])
  })
}

/** What labels and projects count. */
function counts({ tasks, labels, uses, projects }: Tables): string[] {
  const living = new Set(tasks.filter(isLiving).map(({ key }) => key))
  const badLabels = labels.filter(
    ({ key, count }) => count !== uses.filter(({ label, task }) => label === key && living.has(task)).length,
  )
  const badProjects = projects.filter(({ workspace, id, open, done }) => {
    const inside = tasks.filter((task) => isLiving(task) && task.workspace === workspace && task.project_id === id)
    const closed = inside.filter((task) => task.closed === 1).length
    return open !== inside.length - closed || done !== closed
  })
  return [...badLabels, ...badProjects].map(({ id }) => `count of ${id}`)
}

/** Parts are where their whole is, no more than eight levels deep, and none waits for itself. */
function trees({ tasks, edges }: Tables): string[] {
  const known = byId(tasks)
  const wrong = tasks.flatMap((task) => {
    let level = 1
    for (let above: Task | undefined = task; above?.parent_id && level < 10; level++)
      above = known.get(`${above.workspace} ${above.parent_id}`)
    const parent = task.parent_id === null ? null : known.get(`${task.workspace} ${task.parent_id}`)
    return [
      ...(level > 8 ? [`level ${level} of task ${task.id}`] : []),
      ...(parent === undefined ? [`parent of task ${task.id}: there is none`] : []),
      ...(parent
        ? unequal('home', task, [task.project_id, task.section_id], [parent.project_id, parent.section_id])
        : []),
      ...(parent && isLiving(task) && !isLiving(parent) ? [`task ${task.id} lives in a trashed whole`] : []),
      ...(isLiving(task) && task.trashed_with !== null ? [`task ${task.id} lives, trashed with another`] : []),
    ]
  })
  return [...wrong, ...(hasCircle(edges) ? ['tasks wait for each other in a circle'] : [])]
}

function hasCircle(edges: readonly { dependent: number; blocker: number }[]): boolean {
  let left = edges
  for (;;) {
    const waiting = new Set(left.map(({ dependent }) => dependent))
    const rest = left.filter(({ blocker }) => waiting.has(blocker))
    if (rest.length === left.length) return rest.length > 0
    left = rest
  }
}

/** Every task has a position of its own among its siblings. */
function orders({ tasks }: Tables): string[] {
  const places = Map.groupBy(tasks, ({ workspace, place, position }) => `${workspace} ${place} ${position}`)
  const shared = [...places].filter(([, group]) => group.length > 1).map(([place]) => `shared position: ${place}`)
  const misplaced = tasks.flatMap((task) => {
    const { parent_id, section_id, project_id } = task
    const place = parent_id ? `t:${parent_id}` : section_id ? `s:${section_id}` : project_id ? `p:${project_id}` : ''
    // Only what stayed in the inbox goes back to a project.
    const isStray = task.former_project_id !== null && place !== ''
    return [...unequal('place', task, task.place, place), ...unequal('former place', task, isStray, false)]
  })
  return [...shared, ...misplaced]
}

/** The latest change that the feed tells of is the one that the task shows. */
function feed({ tasks, changes }: Tables): string[] {
  const told = new Map(changes.map((change) => [`${change.workspace} ${change.id}`, change]))
  return tasks.flatMap((task) => {
    const change = told.get(`${task.workspace} ${task.id}`)
    const shown = [task.revision, task.updated_at, isLiving(task) ? 'upsert' : 'delete']
    return unequal('feed', task, [change?.revision, change?.changed_at, change?.op], shown)
  })
}
