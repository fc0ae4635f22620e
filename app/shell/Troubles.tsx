/** What keeps the page from being as the server is. */
import { download } from '../../public/dom.js'
import { clockTime, lengthInWords } from '../../public/in-words.js'
import { hour } from '../api/client'
import { now } from '../data/clock'
import type { StoreFault } from '../data/database'
import type { OutboxState } from '../data/outbox'
import { useWorkspace } from '../data/use-workspace'
import { typedText } from '../data/writes'
import { reader, say, sayWith } from '../words/say'
import { Act } from './controls'
import { addressOf, addressOfItem } from './route'
import { hasNewVersion, openNewVersion } from './versions'

/** The remaining requests are shown once less than this part of an hour's limit is left. */
const LOW_PART = 1 / 20

/** Why the browser stores nothing, and what helps. */
const STORE_FAULTS: Readonly<Record<StoreFault, readonly [why: string, help: string]>> = {
  blocked: [say`This browser stores nothing`, say`Allow this site to store data, and reload the page.`],
  full: [
    say`The storage of this browser is full`,
    say`Make room on the device, or delete what other sites have stored, and reload the page.`,
  ],
  newer: [
    say`This page is older than what this browser has stored of it, and leaves that alone`,
    say`Reload the page once the server has been updated.`,
  ],
  silent: [
    say`The storage of this browser does not answer`,
    say`Close the other tabs and windows of this site, and reload the page.`,
  ],
}

export function Troubles() {
  const storeFault = useWorkspace().store.fault.value
  return (
    <div role="status">
      <Connection />
      <KeptTexts />
      <ReplacedTitles />
      <RefusedChanges />
      {hasNewVersion.value && (
        <p class="notice">
          {say`A new version of Satchel is there.`} <Act run={openNewVersion}>{say`Reload`}</Act>
        </p>
      )}
      {storeFault && (
        <p class="notice">
          {say`${STORE_FAULTS[storeFault][0]}: what has not reached the server is gone when you close the page.`}{' '}
          {STORE_FAULTS[storeFault][1]}
        </p>
      )}
      {hour.value && hour.value.remaining < hour.value.limit * LOW_PART && (
        <p class="fine">
          {say`${hour.value.remaining} of ${hour.value.limit} requests are left until ${clockTime(new Date(hour.value.endsAt), reader)}.`}
        </p>
      )}
    </div>
  )
}

/** Changes that wait for the server, else a copy that may be old. */
function Connection() {
  const { outbox, sync } = useWorkspace()
  const state = outbox.state.value
  const waiting = outbox.waiting.value
  const synced = sync.state.value
  if (state.is === 'waiting')
    return (
      <p class="notice">
        {waitingInWords(waiting, state, now.value)} <Act run={() => outbox.tryNow()}>{say`Try now`}</Act>
      </p>
    )
  if (synced.is === 'loading' && synced.percent > 0) return <p class="fine">{sync.unread.value}</p>
  if (synced.is !== 'failed') return null
  return (
    <p class="notice">
      {sync.unread.value === null ? say`What you see may be old.` : say`Not everything could be read yet.`}{' '}
      {synced.message} <Act run={() => sync.pull()}>{say`Try now`}</Act>
    </p>
  )
}

function waitingInWords(count: number, state: Extract<OutboxState, { is: 'waiting' }>, now: number): string {
  if (state.why === 'offline')
    return count === 1
      ? say`One change waits for the server, which cannot be reached.`
      : say`${count} changes wait for the server, which cannot be reached.`
  if (state.why === 'fault')
    return count === 1
      ? say`One change waits for the server, which could not take it yet: ${state.message}`
      : say`${count} changes wait for the server, which could not take them yet: ${state.message}`
  const left = lengthInWords(Math.max(0, state.until - now) / 1000, reader)
  const end = clockTime(new Date(state.until), reader)
  return count === 1
    ? say`One change waits until ${end}, in ${left}: the requests of this hour are used up.`
    : say`${count} changes wait until ${end}, in ${left}: the requests of this hour are used up.`
}

/** Texts of notes that were also changed elsewhere: where each of the two is. */
function KeptTexts() {
  const { kept } = useWorkspace()
  return kept.value.map((text) => (
    <p class="notice" key={text.copyId}>
      {sayWith`${titled(text.title, addressOf('notes', [text.id]))} was changed elsewhere while you changed it here. What you wrote is in ${<a href={addressOf('notes', [text.copyId])}>{say`a conflicting copy`}</a>}.`}{' '}
      <Act run={() => (kept.value = kept.value.filter((one) => one !== text))}>{say`Dismiss`}</Act>
    </p>
  ))
}

const titled = (title: string, address: string) => (
  <a href={address}>
    <bdi>{title}</bdi>
  </a>
)

/** Titles of elsewhere that are nowhere any more, but in the history of a note. */
function ReplacedTitles() {
  const { replaced } = useWorkspace()
  return replaced.value.map((text) => (
    <p class="notice" key={`${text.id} ${text.theirs}`}>
      {sayWith`The title of ${titled(text.title, addressOfItem(text.type, text.id) ?? '')} was changed elsewhere, too, to “${<bdi>{text.theirs}</bdi>}”. It is what you wrote.`}{' '}
      <Act run={() => (replaced.value = replaced.value.filter((one) => one !== text))}>{say`Dismiss`}</Act>
    </p>
  ))
}

/** Changes that the server did not take. A text in them is nowhere else any more, so it can be saved. */
function RefusedChanges() {
  const { outbox } = useWorkspace()
  return outbox.refused.told.value.map((write) => {
    const text = typedText(write)
    return (
      <p class="notice" key={write.seq}>
        {say`A change was not taken: ${write.refused ?? ''}`}{' '}
        {text !== undefined && (
          <Act run={() => download(new Blob([text], { type: 'text/markdown' }), 'text.md')}>
            {say`Save what you wrote`}
          </Act>
        )}{' '}
        <Act run={() => outbox.refused.dismiss(write)}>{say`Dismiss`}</Act>
      </p>
    )
  })
}
