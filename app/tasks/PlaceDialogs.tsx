/** Dialogs that make and change projects, sections and saved filters, by requests of their own. */
import { useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Project, SavedFilter } from '../api/types'
import { createResource } from '../data/create'
import type { Copied, CopiedType } from '../data/resources'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { Act, Fault } from '../shell/controls'
import { Dialog } from '../shell/Dialog'
import { notify } from '../shell/notice'
import { addressOf, go } from '../shell/route'
import { say } from '../words/say'

type Saved = Copied & { readonly id: string }

export interface PlaceKind {
  readonly type: CopiedType & ('task_project' | 'task_section' | 'task_filter')
  readonly path: string
  /** Sentences about one. */
  readonly make: string
  readonly change: string
  readonly deleted: (name: string) => string
  /** How the address of its list begins, which a new one opens. */
  readonly list?: string
}
export const PROJECT: PlaceKind = {
  ...{ type: 'task_project', path: 'api/tasks/projects', make: say`New project`, change: say`Change the project` },
  deleted: (name) => say`Deleted the project “${name}”.`,
  list: 'project',
}
export const SECTION: PlaceKind = {
  ...{ type: 'task_section', path: 'api/tasks/sections', make: say`New section`, change: say`Change the section` },
  deleted: (name) => say`Deleted the section “${name}”.`,
}
export const FILTER: PlaceKind = {
  ...{ type: 'task_filter', path: 'api/tasks/filters', make: say`New filter`, change: say`Change the filter` },
  deleted: (name) => say`Deleted the filter “${name}”.`,
  list: 'filter',
}

/** Makes one, or changes the one with the id. Throws Refused, Unreachable. */
async function save(workspace: Workspace, { type, path }: PlaceKind, id: string | null, body: object): Promise<Saved> {
  if (id === null) return createResource<Saved>(workspace, type, path, body)
  const saved = await workspace.api.call<Saved>({ method: 'PATCH', path: `${path}/${id}`, body })
  await workspace.copy.confirm([{ type, id, resource: saved }])
  return saved
}

/** Moves one to the trash; the notice has the way back. Throws Refused, Unreachable. */
async function remove(
  workspace: Workspace,
  { type, path, deleted }: PlaceKind,
  one: { id: string; name: string },
): Promise<void> {
  const { api, copy, sync } = workspace
  await api.call({ method: 'DELETE', path: `${path}/${one.id}` })
  await copy.confirm([{ type, id: one.id, resource: null }])
  // Its tasks have gone to the inbox.
  if (type !== 'task_filter') await sync.pull()
  notify(deleted(one.name), {
    label: say`Undo`,
    run: () => {
      api
        .call({ method: 'POST', path: `${path}/${one.id}/restore` })
        .then(async () => {
          await sync.pull()
          notify(say`Restored “${one.name}”.`)
        })
        .catch((error: unknown) => notify(say`It could not be restored: ${inWords(error)}`))
    },
  })
}

interface FormProps {
  readonly kind: PlaceKind
  /** The one that is changed; null: one is made. */
  readonly one?:
    | (Partial<Omit<Project & SavedFilter, 'id' | 'name'>> & { readonly id: string; readonly name: string })
    | null
  /** Of a new section. */
  readonly project_id?: string
  readonly onClose: () => void
}

/** Does the work of a dialog, once at a time, and closes it; what is in the way is told in `fault`. */
function useAttempt(onClose: () => void) {
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  async function attempt(work: () => Promise<void>) {
    if (isBusy) return
    setBusy(true)
    setFault('')
    try {
      await work()
      onClose()
    } catch (error) {
      setFault(inWords(error))
      setBusy(false)
    }
  }
  return { attempt, fault, isBusy }
}

/** Name and, for a saved filter, the filter, with buttons to save and delete. */
export function PlaceDialog({ kind, one = null, project_id, onClose }: FormProps) {
  const workspace = useWorkspace()
  const [name, setName] = useState(one?.name ?? '')
  const [filter, setFilter] = useState(one?.filter ?? '')
  const { attempt, fault, isBusy } = useAttempt(onClose)
  const title = one ? kind.change : kind.make
  const submit = (more: object = {}) =>
    attempt(async () => {
      const body = { name: name.trim(), ...(kind === FILTER && { filter: filter.trim() }), ...more }
      const { id } = await save(workspace, kind, one?.id ?? null, one || !project_id ? body : { ...body, project_id })
      if (!one && kind.list) go(addressOf('tasks', [kind.list, id]))
    })
  return (
    <Dialog label={title} class="ask" onClose={onClose}>
      <h2>{title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <label>
          {say`Name`}
          <input
            required
            maxLength={100}
            dir="auto"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {kind === FILTER && <FilterField value={filter} onChange={setFilter} />}
        <Fault of={fault} />
        <div class="row">
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {one ? say`Save` : say`Add`}
          </button>
          {one && kind === PROJECT && (
            <button
              type="button"
              onClick={() => submit({ archived_at: one.archived_at ? null : new Date().toISOString() })}
              aria-disabled={isBusy}
            >
              {one.archived_at ? say`Bring back` : say`Archive{# verb}`}
            </button>
          )}
          {one && (
            <button type="button" aria-disabled={isBusy} onClick={() => attempt(() => remove(workspace, kind, one))}>
              {say`Delete`}
            </button>
          )}
          <Act run={onClose}>{say`Cancel`}</Act>
        </div>
        {one && kind !== FILTER && <p class="fine">{say`Its tasks are kept when it is deleted.`}</p>}
      </form>
    </Dialog>
  )
}

function FilterField({ value, onChange }: { value: string; onChange: (filter: string) => void }) {
  return (
    <label>
      {say`Filter`}
      <input
        required
        maxLength={1000}
        placeholder={say`(today or overdue) and @home`}
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span class="fine">{say`today, overdue, p1, #project, @label, due < +7d; joined by and, or, not.`}</span>
    </label>
  )
}
