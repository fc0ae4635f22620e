/** What was deleted within the last 30 days, the ways to bring it back, and to erase it. */
import { useState } from 'preact/hooks'
import { momentInWords } from '../../public/in-words.js'
import { inWords } from '../api/client'
import type { EmptiedTrash, ImportReport } from '../api/types'
import { now } from '../data/clock'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { Act, Fault } from '../shell/controls'
import { Failure } from '../shell/Failure'
import { notify } from '../shell/notice'
import { addressOf, addressOfItem, go } from '../shell/route'
import { useAnswer } from '../shell/use-answer'
import { reader, say } from '../words/say'
import { Confirm } from './Confirm'
import { leaveItem } from './leave-item'
import { Section } from './Section'
import { TRASH_KINDS, type Trashed, type TrashedResource, type TrashKind, toTrashed } from './trash-kinds'
import { emptiedInWords } from './words'

/** Things of a kind that one request lists. */
const PAGE = 50

export function TrashPart() {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set(['note', 'task']))
  /** Counts up when the trash was emptied: the lists are read again. */
  const [turn, setTurn] = useState(0)
  return (
    <>
      <Section title={say`Trash`}>
        <p class="quiet">{say`What you delete stays here for 30 days.`}</p>
        {TRASH_KINDS.map((kind) => (
          <details
            key={kind.type}
            class="trash-kind"
            open={opened.has(kind.type)}
            onToggle={(event) => {
              if (event.currentTarget.open) setOpened(new Set([...opened, kind.type]))
            }}
          >
            <summary>{kind.title}</summary>
            {opened.has(kind.type) && <KindList key={turn} kind={kind} />}
          </details>
        ))}
      </Section>
      <EmptyTrash onEmptied={() => setTurn(turn + 1)} />
    </>
  )
}

interface Page {
  readonly items: readonly Trashed[]
  readonly next: string | null
}

function KindList({ kind }: { kind: TrashKind }) {
  const workspace = useWorkspace()
  const [fault, setFault] = useState('')
  const list = async (cursor?: string, signal?: AbortSignal): Promise<Page> => {
    // What was just deleted here is among it.
    await workspace.outbox.flush()
    const { items, next_cursor } = await workspace.api.call<{ items: TrashedResource[]; next_cursor: string | null }>({
      path: kind.path,
      query: { ...kind.query, trashed: true, limit: PAGE, cursor },
      ...(signal && { signal }),
    })
    return { items: items.map(toTrashed), next: next_cursor }
  }
  const { answer, again, set } = useAnswer((signal) => list(undefined, signal))
  if (answer.is === 'loading') return <p class="quiet">{say`Loading …`}</p>
  if (answer.is === 'failed') return <Failure message={answer.message} again={again} />
  const { items, next } = answer.value
  const attempt = async (work: () => Promise<void>) => {
    setFault('')
    try {
      await work()
    } catch (error) {
      setFault(inWords(error))
    }
  }
  const more = (cursor: string) =>
    attempt(async () => {
      const page = await list(cursor)
      set({ items: [...items, ...page.items], next: page.next })
    })
  const bringBack = (item: Trashed, button: Element) =>
    attempt(async () => {
      await restore(workspace, kind, item)
      leaveItem(button.closest('li'))
      set({ items: items.filter(({ id }) => id !== item.id), next })
    })
  return (
    <>
      {items.length === 0 && <p class="quiet">{say`There are none in the trash.`}</p>}
      <ul class="settings-list">
        {items.map((item) => (
          <li key={item.id}>
            <div>
              <h3 dir="auto">
                {kind.type === 'note' ? <a href={addressOf('notes', [item.id])}>{item.title}</a> : item.title}
              </h3>
              <p class="quiet">{say`Deleted ${momentInWords(new Date(item.deleted_at), new Date(now.value), reader)}`}</p>
            </div>
            <button
              type="button"
              aria-label={say`Restore ${item.title}`}
              onClick={(event) => bringBack(item, event.currentTarget)}
            >
              {say`Restore`}
            </button>
          </li>
        ))}
      </ul>
      {next !== null && <Act run={() => more(next)}>{say`Show more`}</Act>}
      <Fault of={fault} />
    </>
  )
}

/** Brings something back: notes and tasks like any change of theirs, so also without network. Throws Refused, Unreachable. */
async function restore(workspace: Workspace, kind: TrashKind, { id, title }: Trashed): Promise<void> {
  const words = say`Restored “${title}”.`
  if (kind.type === 'note' || kind.type === 'task') {
    const { type } = kind
    await workspace.act(words, [{ type, op: { op: 'restore', id } }], [{ type, op: { op: 'delete', id } }])
    const address = addressOfItem(type, id) ?? ''
    notify(words, { label: say`Open`, run: () => go(address) })
  } else {
    await workspace.api.call({
      method: 'POST',
      path: `${kind.path}/${id}/restore`,
      headers: { 'Idempotency-Key': newId() },
    })
    notify(words)
    // Without a key nothing announces the change.
    if (workspace.key === null) await workspace.sync.pull()
  }
}

function EmptyTrash({ onEmptied }: { onEmptied: () => void }) {
  const { api } = useWorkspace()
  const [isAsking, setAsking] = useState(false)
  const [words, setWords] = useState('')
  const [fault, setFault] = useState('')
  async function empty() {
    setFault('')
    setWords(say`Emptying the trash …`)
    try {
      const answer = await api.call<EmptiedTrash | ImportReport>({
        method: 'DELETE',
        path: 'api/trash',
        query: { confirm: 'erase' },
      })
      setWords(emptiedInWords(answer))
      onEmptied()
    } catch (error) {
      setWords('')
      setFault(inWords(error))
    }
  }
  return (
    <Section title={say`Empty the trash`}>
      <p class="quiet">{say`Erases everything that is in the trash now, of all kinds. Nothing brings it back.`}</p>
      <div class="row">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {say`Empty the trash …`}
        </button>
      </div>
      <p class="outcome" role="status">
        {words}
      </p>
      <Fault of={fault} />
      {isAsking && (
        <Confirm
          title={say`Empty the trash?`}
          action={say`Erase it`}
          onConfirm={empty}
          onClose={() => setAsking(false)}
        >
          {say`Everything in it is erased now, rather than 30 days after it was deleted. Nothing brings it back.`}
        </Confirm>
      )}
    </Section>
  )
}
