/** What an answer did, and what waits to be confirmed. */
import type { Signal } from '@preact/signals'
import { escapeHidden } from '../../src/tools/fit'
import type { ChatAction } from '../api/types'
import { now } from '../data/clock'
import { say, sayWith } from '../words/say'
import { targetAddress } from './addresses'
import { tells } from './answer'
import type { Conversation } from './conversation'
import type { Turn } from './turns'

export interface ActionListProps {
  readonly chat: Conversation
  readonly turn: Signal<Turn>
}

export function ActionList({ chat, turn }: ActionListProps) {
  const { answer } = turn.value
  const { actions } = answer
  if (actions.length === 0) return null
  const pending = actions.filter(({ confirm }) => confirm !== null)
  const settled = actions.filter(({ confirm }) => confirm === null)
  return (
    <>
      {pending.length > 0 && (
        <ul class="actions" aria-label={say`To be confirmed`}>
          {pending.map((action) => (
            <PendingAction
              key={action.n}
              {...{ chat, action }}
              isTold={actions.length === 1 && tells(answer, action)}
            />
          ))}
        </ul>
      )}
      {settled.length > 0 && (
        <div class="settled">
          <ul class="actions" aria-label={say`Actions`}>
            {settled.map((action) => (
              <SettledAction key={action.n} action={action} turn={turn.value} />
            ))}
          </ul>
          <Undo chat={chat} turn={turn} />
        </div>
      )}
    </>
  )
}

/** What was done, or why it was not. */
function outcomeInWords({ status, summary, error }: ChatAction): string {
  const what = error ? `${summary} ${error.detail}` : summary
  return status === 'failed' ? say`Not done: ${what}` : status === 'denied' ? say`Not allowed: ${what}` : what
}

/** Says nothing twice: the text of an answer mostly tells what was done. */
function SettledAction({ action, turn }: { action: ChatAction; turn: Turn }) {
  const { status, target } = action
  const address = turn.undo === 'undone' ? null : targetAddress(action)
  const isTold = status === 'done' && tells(turn.answer, action)
  if (isTold && address === null) return null
  return (
    <li>
      {!isTold && <span dir="auto">{outcomeInWords(action)} </span>}
      {status === 'done' && address !== null && <a href={address}>{sayWith`Open ${<bdi>{target?.title}</bdi>}`}</a>}
    </li>
  )
}

interface PendingProps {
  readonly chat: Conversation
  readonly action: ChatAction
  /** Whether the text of the answer has the summary. */
  readonly isTold: boolean
}

/** A change that waits, with what it would make of what is there. */
function PendingAction({ chat, action, isTold }: PendingProps) {
  const { summary, preview, after_reading, confirm } = action
  if (!confirm) return null
  const decision = chat.turns.value
    .map(({ value }) => value)
    .findLast(({ decides, state }) => decides?.token === confirm.token && state !== 'failed')
  return (
    <li class="pending">
      {!isTold && <p dir="auto">{summary}</p>}
      {after_reading && (
        <p class="fine">{say`The language model wanted this after it had read your notes. Did you ask for it?`}</p>
      )}
      {preview && preview.before.text + (preview.after?.text ?? '') !== '' && (
        <dl>
          <Side name={say`Now`} {...preview.before} />
          {preview.after ? (
            <Side name={say`Then`} {...preview.after} />
          ) : (
            <Side name={say`Then`} text={null} clipped={false} />
          )}
        </dl>
      )}
      {decision ? (
        <p class="fine">{decision.decides?.isConfirmed ? say`Confirmed.` : say`Cancelled.`}</p>
      ) : Date.parse(confirm.expires_at) < now.value ? (
        <p class="fine">{say`This has expired. Ask for it again.`}</p>
      ) : (
        <div class="row">
          {([true, false] as const).map((isYes) => (
            <button
              key={String(isYes)}
              type="button"
              class={isYes ? 'primary' : ''}
              aria-disabled={chat.isAsking.value}
              aria-label={isYes ? say`Confirm: ${summary}` : say`Cancel: ${summary}`}
              onClick={() => chat.decide(confirm, isYes)}
            >
              {isYes ? say`Confirm` : say`Cancel`}
            </button>
          ))}
        </div>
      )}
    </li>
  )
}

/** One side of a change; null: nothing is left of it. Signs that would hide or reorder a part of it are shown. */
function Side({ name, text, clipped }: { name: string; text: string | null; clipped: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">
        {text === null ? <em>{say`in the trash`}</em> : text.split('\n').map(escapeHidden).join('\n')}
        {clipped && ' …'}
      </dd>
    </div>
  )
}

function Undo({ chat, turn }: ActionListProps) {
  const { answer, undo, undoFault } = turn.value
  if (!answer.undo) return null
  if (undo === 'undone') return <p>{say`Undone.`}</p>
  return (
    <div class="row">
      <button type="button" aria-disabled={undo === 'undoing'} onClick={() => chat.undo(turn)}>
        {answer.undo.next.length > 0 ? say`Undo all` : say`Undo`}
      </button>
      {undoFault !== '' && <p class="fault">{undoFault}</p>}
    </div>
  )
}
