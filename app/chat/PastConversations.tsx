/** The conversations that this browser keeps: to be found, gone on with, and deleted. */
import { useEffect, useState } from 'preact/hooks'
import { momentInWords } from '../../public/in-words.js'
import { now } from '../data/clock'
import { conversationsOf } from '../data/conversations'
import type { PastConversation } from '../data/database'
import { useWorkspace } from '../data/use-workspace'
import { actWithUndo } from '../shell/act'
import { Act } from '../shell/controls'
import { addressOf } from '../shell/route'
import { reader, say } from '../words/say'
import type { Conversation } from './conversation'

/** Conversations in the list at first. */
const MAX_LISTED = 8

export function PastConversations({ chat, startNew }: { chat: Conversation; startNew: () => void }) {
  const workspace = useWorkspace()
  const past = conversationsOf(workspace)
  const [sought, setSought] = useState('')
  const [found, setFound] = useState<readonly PastConversation[] | null>(null)
  const [isWhole, setWhole] = useState(false)
  const all = past.list.value
  useEffect(() => void past.load(), [past])
  useEffect(() => {
    let isLatest = true
    if (sought.trim() === '') setFound(null)
    else past.find(sought.trim()).then((found) => isLatest && setFound(found))
    return () => {
      isLatest = false
    }
  }, [sought, all])
  async function remove(one: PastConversation): Promise<void> {
    const turns = await past.remove(one)
    if (chat.id.peek() === one.id) startNew()
    actWithUndo(workspace, say`Deleted the conversation “${one.title}”.`, [], () => past.restore(one, turns))
  }
  if (all.length === 0) return null
  const listed = found ?? (isWhole ? all : all.slice(0, MAX_LISTED))
  return (
    <details class="past" open={chat.turns.value.length === 0}>
      <summary>{say`Earlier conversations`}</summary>
      <input
        type="search"
        aria-label={say`Find a conversation`}
        placeholder={say`Words of a question or an answer`}
        value={sought}
        onInput={(event) => setSought(event.currentTarget.value)}
      />
      <ul class="suggestions">
        {listed.map((one) => (
          <li key={one.id} class="section-header">
            <a dir="auto" href={addressOf('chat', [one.id])} aria-current={one.id === chat.id.value || undefined}>
              {one.title}
            </a>
            <span class="row fine">
              {momentInWords(new Date(one.at), new Date(now.value), reader)}
              <button type="button" class="link" aria-label={say`Delete ${one.title}`} onClick={() => remove(one)}>
                {say`Delete`}
              </button>
            </span>
          </li>
        ))}
      </ul>
      {found?.length === 0 && <p class="quiet">{say`No conversation has these words.`}</p>}
      {!found && listed.length < all.length && <Act run={() => setWhole(true)}>{say`Show all ${all.length}`}</Act>}
    </details>
  )
}
