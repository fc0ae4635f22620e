/** Addresses under which calendar programs read tasks. */
import { useRef, useState } from 'preact/hooks'
import { copy as copyText } from '../../public/dom.js'
import { inWords, SERVER } from '../api/client'
import type { CalendarFeed, CreateFeed, NewFeed } from '../api/types'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import { Fault } from '../shell/controls'
import { Failure } from '../shell/Failure'
import { notify } from '../shell/notice'
import { useAnswer } from '../shell/use-answer'
import { say } from '../words/say'
import { Confirm } from './Confirm'
import { leaveItem } from './leave-item'
import { Section } from './Section'
import { feedInWords } from './words'

/** As many as a workspace may have: all of them in one page. */
const MAX_FEEDS = 20

export function Feeds() {
  const { api } = useWorkspace()
  const { answer, again, set } = useAnswer((signal) =>
    api
      .call<{ items: CalendarFeed[] }>({ path: 'api/tasks/feeds', query: { limit: MAX_FEEDS }, signal })
      .then(({ items }) => items),
  )
  const feeds = answer.is === 'done' ? answer.value : []
  return (
    <>
      <Section title={say`Calendar feeds`} isBusy={answer.is === 'loading'}>
        <p class="quiet">
          {say`An address under which a calendar program shows your tasks. Whoever has the address can read those tasks, and nothing else.`}
        </p>
        {answer.is === 'loading' && <p class="quiet">{say`Loading …`}</p>}
        {answer.is === 'failed' && <Failure message={answer.message} again={again} />}
        {answer.is === 'done' && feeds.length === 0 && <p class="quiet">{say`There are none yet. Make one below.`}</p>}
        {feeds.length > 0 && (
          <ul class="settings-list">
            {feeds.map((feed) => (
              <FeedItem key={feed.id} feed={feed} onRevoked={() => set(feeds.filter(({ id }) => id !== feed.id))} />
            ))}
          </ul>
        )}
      </Section>
      {answer.is === 'done' && <NewFeedForm onMade={(feed) => set([...feeds, feed])} />}
    </>
  )
}

function FeedItem({ feed, onRevoked }: { feed: CalendarFeed; onRevoked: () => void }) {
  const { api } = useWorkspace()
  const item = useRef<HTMLLIElement>(null)
  const [isAsking, setAsking] = useState(false)
  const [fault, setFault] = useState('')
  async function revoke() {
    setFault('')
    try {
      await api.call({ method: 'DELETE', path: `api/tasks/feeds/${feed.id}` })
      notify(say`“${feed.name}” is revoked: its address answers no more.`)
      leaveItem(item.current)
      onRevoked()
    } catch (error) {
      setFault(inWords(error))
    }
  }
  return (
    <li ref={item}>
      <div>
        <h3>
          <bdi>{feed.name}</bdi>
        </h3>
        <p class="quiet">{feedInWords(feed)}</p>
        <Fault of={fault} />
      </div>
      <button type="button" aria-label={say`Revoke ${feed.name}`} onClick={() => setAsking(true)}>
        {say`Revoke`}
      </button>
      {isAsking && (
        <Confirm
          title={say`Revoke “${feed.name}”?`}
          action={say`Revoke`}
          onConfirm={revoke}
          onClose={() => setAsking(false)}
        >
          {say`Calendar programs with its address show these tasks no more. No task changes.`}
        </Confirm>
      )}
    </li>
  )
}

function NewFeedForm({ onMade }: { onMade: (feed: CalendarFeed) => void }) {
  const { api, copy } = useWorkspace()
  const [address, setAddress] = useState<string | null>(null)
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const filters = [...copy.shown.task_filter.value.values()]

  async function submit(event: Event & { currentTarget: HTMLFormElement }) {
    event.preventDefault()
    if (isBusy) return
    const form = event.currentTarget
    setBusy(true)
    setFault('')
    setAddress(null)
    try {
      const {
        url,
        token: _,
        ...feed
      } = await api.call<NewFeed>({
        method: 'POST',
        path: 'api/tasks/feeds',
        body: feedOf(new FormData(form)),
        headers: { 'Idempotency-Key': newId() },
      })
      if (url !== null) setAddress(new URL(url.replace(/^\//, ''), SERVER).href)
      form.reset()
      onMade(feed)
    } catch (error) {
      setFault(inWords(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Section title={say`Make a feed`}>
      <form class="settings-form" onSubmit={submit}>
        <label class="labelled">
          <span>{say`Name`}</span>
          <input name="name" required maxlength={100} autocomplete="off" dir="auto" />
        </label>
        <label class="labelled">
          <span>{say`Which tasks`}</span>
          <input
            name="filter"
            list="saved-filters"
            placeholder={say`All open tasks, or a filter such as p1 or #Work`}
            autocomplete="off"
            spellcheck={false}
          />
          <datalist id="saved-filters">
            {filters.map(({ id, name, filter }) => (
              <option key={id} value={filter}>
                {name}
              </option>
            ))}
          </datalist>
        </label>
        <label class="labelled">
          <span>{say`As`}</span>
          <select name="component">
            <option value="vevent">{say`Events, which every calendar program shows`}</option>
            <option value="vtodo">{say`To-dos`}</option>
          </select>
        </label>
        <label class="check">
          <input type="checkbox" name="include_done" /> {say`Also tasks that are done`}
        </label>
        <div class="row">
          <button type="submit" aria-disabled={isBusy}>
            {say`Make a feed`}
          </button>
        </div>
      </form>
      <Fault of={fault} />
      {address !== null && <Address address={address} />}
    </Section>
  )
}

function feedOf(form: FormData): CreateFeed {
  return {
    name: String(form.get('name')).trim(),
    filter: String(form.get('filter')).trim() || null,
    component: form.get('component') === 'vtodo' ? 'vtodo' : 'vevent',
    include_done: form.has('include_done'),
  }
}

/** The address of a new feed, which the server shows only once. */
function Address({ address }: { address: string }) {
  const [words, setWords] = useState('')
  return (
    <div class="address">
      <p>{say`This address is shown only now. Subscribe to it in your calendar program.`}</p>
      <div class="joined">
        <input aria-label={say`Address`} readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
        <button
          type="button"
          class="primary"
          onClick={async () =>
            setWords(
              (await copyText(address))
                ? say`Copied.`
                : say`This browser does not let the page copy: select the address.`,
            )
          }
        >
          {say`Copy the address`}
        </button>
      </div>
      <p class="fine" role="status">
        {words}
      </p>
    </div>
  )
}
