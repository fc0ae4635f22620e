/** One card after the other: the question, the answer, and how well it was known. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { momentInWords } from '../data/moments'
import { useWorkspace } from '../data/use-workspace'
import { type Action, useActions } from '../shell/actions'
import { Act, Button, Header } from '../shell/controls'
import { Failure } from '../shell/Failure'
import { addressOf } from '../shell/route'
import { say } from '../words/say'
import { CardHtml } from './card-html'
import { speak } from './card-media'
import { EditFact } from './FactDialog'
import { FLAGS, Flag } from './Flag'
import { intervalInWords, studyTimeInWords } from './intervals'
import type { QueuePage } from './queue-source'
import { leftIn, outcomeOf, peekNext, type Rating, type StudyItem } from './session'
import { createStudy, type Study } from './study'
import { TypedField, TypedResult } from './Typed'

const RATINGS: readonly (readonly [Rating, string])[] = [
  [1, say`Again`],
  [2, say`Hard`],
  [3, say`Good`],
  [4, say`Easy`],
]

/** The next card is made so long after the present one is shown. */
const AHEAD_MS = 30

export function Studying({ deckId }: { deckId: string | null }) {
  const workspace = useWorkspace()
  const [study, setStudy] = useState<Study | null>(null)
  useEffect(() => {
    const begun = createStudy(workspace, deckId)
    setStudy(begun)
    const onHide = () => document.visibilityState === 'hidden' && begun.send()
    document.addEventListener('visibilitychange', onHide)
    return () => {
      document.removeEventListener('visibilitychange', onHide)
      begun.close()
    }
  }, [workspace, deckId])
  const deck = deckId === null ? null : workspace.copy.shown.deck.value.get(deckId)
  return (
    <div class="column study-go">
      <Header title={deck?.name ?? say`All decks`}>
        <a href={addressOf('study')}>{say`End`}</a>
      </Header>
      {study && <Stage study={study} />}
    </div>
  )
}

function Stage({ study }: { study: Study }) {
  const status = study.status.value
  if (status.is === 'failed') {
    const message = say`The cards could not be loaded. ${status.message} Your answers are kept.`
    return <Failure message={message} again={study.retry} />
  }
  if (status.is === 'loading') return <p class="quiet">{say`Loading …`}</p>
  if (status.is === 'studying') return <Cards study={study} />
  return <Done study={study} nextAt={status.nextAt} kept={status.kept} />
}

interface DoneProps extends Pick<QueuePage, 'kept'> {
  readonly study: Study
  readonly nextAt: string | null
}

function Done({ study, nextAt, kept }: DoneProps) {
  const { answers } = study.session.value
  const [first] = answers
  useActions(useMemo(() => [{ title: say`Take back the last answer`, keys: 'u', run: study.undo }], [study]))
  return (
    <section class="study-done" aria-label={say`Done`}>
      <h2>
        {answers.length > 0
          ? say`Done for now`
          : kept
            ? say`Nothing of what was kept is due now`
            : say`Nothing is due now`}
      </h2>
      {first && (
        <p>{say`${answers.length} {answer|answers} in ${studyTimeInWords((answers.at(-1)?.at ?? 0) - first.at)}.`}</p>
      )}
      {nextAt !== null && (
        <p class="quiet">{say`The next card is due ${momentInWords(new Date(nextAt), new Date())}.`}</p>
      )}
      {kept && (
        <p class="quiet">
          {kept.isOfToday
            ? say`The server cannot be reached. There may be more than what was kept of today.`
            : say`The server cannot be reached. The cards of today need the network.`}
        </p>
      )}
      <div class="row">
        <a class="button primary" href={addressOf('study')}>
          {say`Back to the decks`}
        </a>
        <Button run={study.retry}>{say`Look again`}</Button>
        {answers.length > 0 && <Button run={study.undo}>{say`Take back the last answer`}</Button>}
      </div>
    </section>
  )
}

/** The shown card, and the next one, hidden, so that it can be shown at once. */
function Cards({ study }: { study: Study }) {
  const session = study.session.value
  const { current } = session
  const turn = study.turn.value
  const [typing, setTyping] = useState({ turn: 0, text: '' })
  const [isEditing, setEditing] = useState(false)
  const stage = useRef<HTMLElement>(null)
  const isOpen = study.isOpen.value
  // Before it is painted: the next key may be the first letter of a typed answer.
  useLayoutEffect(() => focusStage(stage.current), [turn, isOpen])
  useEffect(() => playFrom(stage.current), [turn, isOpen])
  const isAhead = useAhead(turn)
  useKeys(
    study,
    () => setEditing(true),
    () => playFrom(stage.current),
  )
  if (!current) return null
  const next = isAhead ? peekNext(session, study.clock()) : null
  const items = next && next.card.id !== current.card.id ? [current, next] : [current]
  return (
    <>
      <section
        class="study-stage"
        aria-label={isOpen ? say`Answer` : say`Question`}
        aria-live="polite"
        tabIndex={-1}
        ref={stage}
      >
        {items.map((item) => (
          <Face
            key={item.card.id}
            item={item}
            isShown={item === current}
            isOpen={isOpen && item === current}
            typed={typing.turn === turn ? typing.text : ''}
            type={(text) => setTyping({ turn, text })}
            study={study}
          />
        ))}
      </section>
      <Bar study={study} item={current} edit={() => setEditing(true)} />
      {isEditing && (
        <EditFact
          factId={current.card.fact_id}
          onClose={() => setEditing(false)}
          onSaved={() => study.reload(current)}
        />
      )}
    </>
  )
}

function Bar({ study, item, edit }: { study: Study; item: StudyItem; edit: () => void }) {
  return (
    <div class="study-bar">
      {study.isOpen.value ? (
        <Ratings item={item} rate={study.rate} />
      ) : (
        <button type="button" class="primary study-show" onClick={study.open}>
          {say`Show the answer`} <kbd>{say`Space`}</kbd>
        </button>
      )}
      <Tools study={study} flag={item.card.flag} edit={edit} />
    </div>
  )
}

/** Whether it is time to make the next card: not before the present one is painted. */
function useAhead(turn: number): boolean {
  const [paintedTurn, setPainted] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setPainted(turn), AHEAD_MS)
    return () => clearTimeout(timer)
  }, [turn])
  return paintedTurn === turn
}

function Ratings({ item, rate }: { item: StudyItem; rate: Study['rate'] }) {
  return (
    <fieldset class="study-ratings">
      <legend class="unseen">{say`How well did you know it?`}</legend>
      {RATINGS.map(([rating, name]) => {
        const outcome = outcomeOf(item, rating)
        const words = outcome && intervalInWords(outcome)
        return (
          <button
            key={rating}
            type="button"
            onClick={() => rate(rating)}
            title={words ? say`Next in ${words.long}` : undefined}
            aria-keyshortcuts={String(rating)}
          >
            <span>{name}</span>
            <small>{words?.short ?? '…'}</small>
            <kbd>{rating}</kbd>
          </button>
        )
      })}
    </fieldset>
  )
}

function Tools({ study, flag, edit }: { study: Study; flag: number; edit: () => void }) {
  const left = leftIn(study.session.value)
  return (
    <div class="study-tools">
      <span class="fine">{left === 1 ? say`The last one` : say`${left} left`}</span>
      <button type="button" class="link" disabled={study.session.value.answers.length === 0} onClick={study.undo}>
        {say`Undo`}
      </button>
      <Act run={edit}>{say`Edit`}</Act>
      <select aria-label={say`Flag`} value={flag} onChange={(event) => study.flag(Number(event.currentTarget.value))}>
        {FLAGS.map(([name], number) => (
          <option key={name} value={number}>
            {name}
          </option>
        ))}
      </select>
      <Act run={study.suspend}>{say`Suspend`}</Act>
      <Act run={study.bury}>{say`Bury`}</Act>
    </div>
  )
}

interface FaceProps {
  readonly item: StudyItem
  readonly isShown: boolean
  readonly isOpen: boolean
  readonly typed: string
  readonly type: (text: string) => void
  readonly study: Study
}

/** Both sides of a card, also of the next one. */
function Face({ item, isShown, isOpen, typed, type, study }: FaceProps) {
  const { prompt_html: prompt = '', answer_html: answer = '', typed_answer: right } = item.card
  return (
    <article class="study-card" hidden={!isShown}>
      <Flag flag={item.card.flag} />
      <div class="markdown" hidden={isOpen} dir="auto">
        <CardHtml html={prompt} />
        {right && <TypedField value={isShown ? typed : ''} onInput={type} onSubmit={study.open} />}
      </div>
      <div class="markdown" hidden={!isOpen} dir="auto">
        {right && isOpen && <TypedResult typed={typed} right={right} />}
        <CardHtml html={answer} />
      </div>
    </article>
  )
}

/** The keys of the screen. They stay the same from card to card, so that none pressed early is lost. */
function useKeys(study: Study, edit: () => void, play: () => void): void {
  const actions = useMemo<readonly Action[]>(
    () => [
      // The key is handled below: Space and Enter belong to a button that has the focus.
      { title: say`Show the answer`, keys: 'Space', run: study.open },
      ...RATINGS.map(([rating, name]) => ({
        title: say`Answer: ${name}`,
        keys: String(rating),
        run: () => study.rate(rating),
      })),
      { title: say`Take back the last answer`, keys: 'u', run: study.undo },
      { title: say`Edit the card`, keys: 'e', run: edit },
      { title: say`Suspend the card`, keys: 's', run: study.suspend },
      { title: say`Bury the card until tomorrow`, keys: 'b', run: study.bury },
      // These keys are handled below, too.
      {
        title: say`Flag the card`,
        keys: say`Ctrl ${'1–7'}`,
        run: () => document.querySelector<HTMLElement>('.study-tools select')?.focus(),
      },
      { title: say`Play the sound again`, keys: 'r', run: play },
    ],
    [study],
  )
  useActions(actions)
  // Before the card is painted: once it is seen, a key may follow.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || event.altKey || document.querySelector('dialog[open]')) return
      if (event.ctrlKey && /^[1-7]$/.test(event.key)) {
        event.preventDefault()
        return study.flag(Number(event.key))
      }
      if ((event.key !== ' ' && event.key !== 'Enter') || event.ctrlKey || event.metaKey) return
      const target = event.target instanceof Element ? event.target : null
      if (study.isOpen.peek() || target?.closest('a, button, input, textarea, select, summary, audio, video')) return
      event.preventDefault()
      study.open()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [study])
}

/** Gives the focus to the card, or to its field, unless the person is elsewhere on the page. */
function focusStage(stage: HTMLElement | null): void {
  const { activeElement } = document
  if (!stage || document.querySelector('dialog[open]')) return
  if (activeElement !== document.body && !activeElement?.closest('.study-go')) return
  const field = stage.querySelector<HTMLElement>('.study-card:not([hidden]) > div:not([hidden]) .study-typed input')
  const place = field ?? stage
  place.focus({ preventScroll: true })
}

/** What can be heard of the shown side. */
const HEARD = '.study-card:not([hidden]) > div:not([hidden]) :is(audio, .study-speech)'

/** Plays what can be heard of the shown side, one after the other. */
function playFrom(stage: HTMLElement | null): (() => void) | undefined {
  const heard = [...(stage?.querySelectorAll<HTMLAudioElement | HTMLButtonElement>(HEARD) ?? [])]
  if (heard.length === 0) return
  const end = new AbortController()
  const play = (place: number) => {
    const sound = heard[place]
    if (!sound || end.signal.aborted) return
    const next = () => play(place + 1)
    if (sound instanceof HTMLButtonElement) return speak(sound, next)
    sound.onended = next
    const begin = () => {
      sound.currentTime = 0
      // The browser may refuse to play by itself; the sound has a button.
      sound.play().catch(() => undefined)
    }
    // A sound that gets its address while it begins to play does not.
    if (sound.hasAttribute('src')) begin()
    else sound.addEventListener('loadstart', begin, { once: true, signal: end.signal })
  }
  play(0)
  return () => {
    end.abort()
    for (const sound of heard) if (sound instanceof HTMLAudioElement) sound.pause()
    globalThis.speechSynthesis?.cancel()
  }
}
