import { useState } from 'preact/hooks'
import { inWords, Unreachable } from '../api/client'
import { forgetConversations } from '../data/conversations'
import { useWorkspace } from '../data/use-workspace'
import { keys, type Workspace } from '../data/workspace'
import { Fault } from '../shell/controls'
import { notify } from '../shell/notice'
import { addressOf } from '../shell/route'
import { say, sayWith } from '../words/say'
import { Confirm } from './Confirm'
import { Section } from './Section'

/** Erases the workspace, or the scratch space, once the person has typed a word. */
export function EraseWorkspace() {
  const workspace = useWorkspace()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  async function begin() {
    setBusy(true)
    setFault('')
    try {
      await erase(workspace)
      notify(say`Everything is erased.`)
    } catch (error) {
      setFault(inWords(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section title={say`Erase everything`}>
      <p class="quiet">
        {sayWith`Notes, tasks, flashcards and chats, with their history and the trash. You may want to ${<a href={addressOf('settings', ['export'])}>{say`export`}</a>} them first.`}
      </p>
      <div class="row">
        <button type="button" class="danger" aria-disabled={isBusy} onClick={() => isBusy || setAsking(true)}>
          {isBusy ? say`Erasing …` : say`Erase …`}
        </button>
      </div>
      <Fault of={fault} />
      {isAsking && (
        <Confirm
          title={
            workspace.key === null
              ? say`Erase the scratch space?`
              : say`Erase the workspace of “${keys.chosen?.name ?? ''}”?`
          }
          action={say`Erase everything`}
          word="erase"
          onConfirm={begin}
          onClose={() => setAsking(false)}
        >
          {workspace.key === null
            ? say`All of it is erased on the server at once, the trash included, for everyone who shares it. Nothing brings it back.`
            : say`All of it is erased on the server at once, the trash included, and in this browser. Nothing brings it back. The key stays.`}
        </Confirm>
      )}
    </Section>
  )
}

/** Erases the workspace on the server, then what this browser keeps of it. Throws Refused, Unreachable. */
async function erase(workspace: Workspace): Promise<void> {
  const { api, copy, outbox, sync, undoable } = workspace
  // Changes that wait must not create things again afterwards.
  await outbox.flush()
  if (outbox.waiting.peek() > 0) throw new Unreachable()
  await api.call({ method: 'DELETE', path: 'api/workspace', body: { confirm: 'erase' } })
  undoable.value = []
  await copy.clear()
  await forgetConversations(workspace)
  await sync.pull()
}
