/**
 * The words of commands in four languages. Each class of words has a letter, and a message becomes a string of them, one for
 * each word, so that one grammar (`frames.ts`) reads all languages. `_` is a space, `+` divides a verb from its particle.
 */
import type { TimeLanguage } from '../../lib/civil/day'
import { fold } from '../../search/fold'

/**
 * Verbs: A adds, W makes, V sets or gives, M moves, D removes, X completes, E checks off, Y reopens, R renames, I reminds,
 * K remembers, Q quizzes, S studies, G shows or asks, U takes back, `/` if it says what, Z restores, L labels, J takes a date away,
 * P ranks, F fills up; `!` is of others, which nothing here can do.
 */
const VERBS: Readonly<Record<TimeLanguage, string>> = {
  en: `A add append insert include enter write write+down jot jot+down set_up start begin create log record save 
    W make build generate draft suggest prepare extract turn convert use i_need i_want i'd_like want need new
    V put set change leave file assign raise lower bump let's_do stick throw place pop B get give keep take attach have let
    M move postpone push push+back reschedule shift delay defer put+off bring+forward snooze schedule
    D delete remove trash bin discard erase throw+away throw+out get_rid_of scrap drop clear strike take+off
    X complete finish close tick tick_the_box_for check_the_box_for tick+off check+off cross+off mark+off E check mark cross flag scratch
    Y reopen re-open uncheck untick R rename retitle C call name
    I remind_me remind_me_again don't_forget_to_remind_me ping_me nudge_me don't_let_me_forget do_not_let_me_forget never_let_me_forget make_sure_i_remember
    I make_sure_that_i_remember make_sure_i_don't_forget i_need_to_be_reminded i_want_to_be_reminded i'd_like_to_be_reminded be_reminded
    K remember note take_note please_note note+down write+down jot+down save store keep record keep_in_mind bear_in_mind
    K take+down put+down for_the_record O don't_forget do_not_forget remember_to
    Q quiz_me test_me examine_me drill_me quiz S practise practice revise review study learn train go_through
    G ask_me show_me give_me start / cancel U undo revert reverse take+back roll_back roll+back
    Z restore undelete recover bring+back get+back put+back bring_back get_back i_want+back L label tag J unschedule P prioritize
    P prioritise F update extend complete
    ! play book send buy order call email text turn_on turn_off switch translate calculate navigate stop pause install download
    ! share print schedule invite set create make delete rename move open`,
  de: `A füg+hinzu hinzufüg erstell anleg leg+an leg trag+ein trag+nach eintrag schreib notier füg pack nimm+auf aufnehm
    W mach schlag+vor erzeug generier verwandl ich_brauche ich_hätte_gern ich_hätte_gerne ich_will ich_möchte
    V setz leg stell gib geb tu tun änder nimm lass stuf+ein einstuf erhöh senk versieh verseh kleb häng+an anhäng markier nutz nimm+weg häng
    M verschieb verleg schieb zieh+vor vorzieh terminier vertag verschieb+auf
    D lösch entfern wirf+weg wegwerf schmeiß+weg weg_mit kann_weg streich nimm+weg beseitig wirf schmeiß
    X erledig beend hak+ab abhak schließ+ab abschließ streich+ab streich+durch E markier streich
    Y öffn+wieder öffn wieder_öffn R benenn+um umbenenn benenn nenn+um C nenn
    I erinner_mich erinnere_mich erinner erinnert_werden denk_bitte_daran lass_mich_nicht_vergessen O vergiss_nicht vergesse_nicht
    K merk_dir merke_dir notier schreib+auf aufschreib halt+fest festhalt speicher behalt denk_daran denke_daran
    K denk_bitte_daran behalte_im_kopf behalt_im_kopf
    Q frag_mich frage_mich frag_mich+ab frage_mich+ab frag+ab abfrag prüf_mich prüfe_mich teste_mich test_mich S üb lern wiederhol
    G stell_mir stelle_mir gib_mir zeig_mir zeige_mir frag_mich
    U mach+rückgängig rückgängig rückgängig_machen wieder_rückgängig wieder_rückgängig_machen nimm+zurück widerruf zurücknehm
    Z stell+wieder_her stell+her wiederherstell hol+zurück hol zurückhol bring+zurück zurückbring leg+zurück leg+wieder_zurück hol+wieder_zurück bring+wieder_zurück gib_mir+zurück wieder_herstell
    L tagg etikettier label P priorisier F ergänz J entplan ! spiel buch send schick ruf kauf bestell übersetz berechn stopp druck teil`,
  fr: `A ajout* rajout* cré* inscris inscrire inscrivez écris écrire écrivez not* prends prendre ouvre ouvrir commenc* enregistr*
    W fais faire faites génèr* génér* propos* tir* prépar* transform* convertis je_veux je_voudrais j'ai_besoin_d' j'ai_besoin_de
    W utilis* il_me_faut il_faut
    V mets mettre mettez donn* pass* chang* rends rendre fix* modifi* coll* pos* laiss* gard* sors sortir rang* marqu* met attribu*
    M report* décal* repouss* avanc* déplac* remets remettre planifi* programm* reprogramm*
    D supprim* effac* jet* jett* retir* enlèv* enlev* ôt* débarrasse-toi débarrasse_toi élimin*
    X coch* termin* valid* clos clore clôtur* achèv* ray* barr* E marqu* Y rouvre rouvrir décoch*
    R renomm* rebaptis* C appell* appel*
    I rappelle_moi rappelle me_rappeler fais_moi_penser_à fais_moi_penser ne_me_laisse_pas_oublier préviens_moi O n'oublie_pas
    K retiens retenir souviens_toi mémoris* not* enregistr* garde_en_mémoire garde_en_tête garde écris rappelle_toi
    K prends_note
    Q interroge_moi interrog* teste_moi fais_moi_réviser S révis* on_révise étudi* appren*
    G pose_moi montre_moi donne_moi U annul* défais défaire reviens_en_arrière revenir_en_arrière
    Z restaur* rétablis rétablir récupèr* récupér* ramèn* ramen* remets remettre L étiquet* étiquett* J déprogramm*
    P prioris* F complèt* complét* actualis* ! jou* réserv* envoi* envoy* achèt* command* appelle traduis calcul* arrêt* imprim* partag*`,
  es: `A añad~ agreg* cre* escrib~ anot* apunt* inclu* met~ abr~ empiez* registr* pon poner
    W haz hac~ gener* propón saca sacar prepar* convierte convertir quiero necesito me_hace_falta usa usar
    V pon poner ponga da dar dale cambi* sub* subir baj* deja dejar pasa pasar guard* fij* asign* marc* haz saca sacar
    M muev* mover pasa pasar pospón posponer aplaz* retras* adelant* reprogram* program* planific* deja dejar
    D borr* elimin* suprim~ quit* tir* saca sacar deshazte ech* mand*
    X tach* complet* termin* acab* finaliz* cierr* cerrar E marc* Y reabr~ abre_de_nuevo desmarc*
    R renombr* rebautiz* C llam*
    I recuérdame recordar recordarme me_recordar avísame no_me_dejes_olvidar O no_olvides no_te_olvides
    K recuerd* acuérdate acuérdate_de ten_en_cuenta ten_presente anot* apunt* apúntate guard* memoriz* toma_nota
    Q pregúntame ponme_a_prueba examíname S repas* practic* estudi* aprend~
    G hazme ponme dame muéstrame U deshaz deshacer revierte revertir anul* vuelve_atrás volver_atrás
    Z restaur* recuper* devuélveme trae_de_vuelta devuelv* devolver L etiquet* J desprogram* P prioriz* F complet* actualiz*
    ! reproduc~ reserv* envía enviar compr* pide llam* traduc~ calcul* par* imprim~ compart~`,
}

/**
 * Nouns: t task, T tasks, n note, c card, C cards, r reminder, b label, p priority, d date, k deck, s list, j project, f folder,
 * x trash, e title, q question, y change. Markers: `>` to, `<` from, `+` with, `=` called, `&` the, `;` next, `N` a new, z that, m me, i it,
 * g of (behind its owner), v is or has, `~` should be called, h that word's end, `@` can wait until. States: o done, O not done, u without a date,
 * l a level.
 */
const WORDS: Readonly<Record<TimeLanguage, string>> = {
  en: `t task to-do todo chore T tasks to-dos todos chores task_list to_do_list to-do_list list_of_things_to_do todo_list list_of_tasks tasks_list reminders n note
    w task_force to-do_force c card flashcard flash_card C cards flashcards flash_cards r reminder b label labels tag tags
    p priority d due_date deadline date due k deck s list j project f folder x trash bin rubbish e title name q question something quiz test
    y change action thing step last_one what_you_did what_you_just_did
    > to into onto on in under as until till for by about at_the_end_of to_the_end_of regarding < from of off out_of off_of + with
    = called named titled entitled saying that_says with_the_text with_the_title with_the_name with_text based_on
    ; next & the my our your last N a an a_few another new some quick short these two three four five following also more z that m me i it this them those
    v is are has gets needs should_have should_get was_put have been has_been got ~ should_be_called should_now_be_called should_be_named
    @ can_wait_until can_wait_till can_wait_for can_wait should_be_due is_now_due is_due needs_to_be_due should_be_moved_to
    o done complete completed finished O not_done undone open incomplete unfinished not_complete
    u undated without_a_date without_date without_a_due_date without_a_deadline no_date no_due_date no_deadline has_no_date needs_no_date
    g 's - please kindly just for_later for_me instead any_more anymore u doesn't_need_a_date doesn't_need_a_due_date no_longer_has_a_date no_longer_needs_a_date has_no_due_date has_no_deadline to_no_date
    u no_longer_has_a_due_date no_longer_has_a_deadline needs_no_deadline without_a_due_date_please
    l urgent high highest top low lowest medium normal important p1 p2 p3 p4 high-priority top-priority low-priority`,
  de: `t aufgabe to-do todo T aufgaben to-dos todos to-do-liste todo-liste aufgabenliste aufgaben-liste n notiz c karte karteikarte lernkarte
    C karten karteikarten lernkarten r erinnerung b label labels etikett etiketten tag tags p priorität d datum frist fälligkeit
    d termin fälligkeitsdatum deadline fällig k stapel kartenstapel s liste j projekt f ordner x papierkorb müll e titel namen name q frage etwas was
    y änderung aktion was_du_gerade_getan_hast was_du_eben_getan_hast
    > auf zu zum zur in ins im als bis um an ans am für bei über ans_ende_von < von aus vom der des + mit
    = namens mit_dem_titel mit_dem_namen mit_titel mit_dem_text
    ; nächste nächsten & die das den dem meine meinen meiner mein unsere letzte N eine ein einen neue neuen neues noch_eine ein_paar noch auch weitere
    - bitte mal doch eben lieber stattdessen dazu z dass m mir mich dir i es sie ihn das dies folgendes v ist bin sind wurde hat bekommt kriegt braucht
    ~ soll sollte h heißen @ erst erst_am kann_bis kann_warten_bis hat_zeit_bis soll_erst_am
    o erledigt fertig gemacht abgeschlossen getan O offen unerledigt nicht_erledigt
    u undatiert ohne_datum ohne_frist ohne_termin ohne_fälligkeit kein_datum keine_frist kein_datum_mehr keinen_termin_mehr keine_frist_mehr
    u hat_kein_datum hat_kein_datum_mehr braucht_kein_datum_mehr braucht_kein_datum hat_keine_frist_mehr kein_termin_mehr hat_keinen_termin_mehr
    l dringend hoch hohe hoher höchste wichtig niedrig niedrige niedrigste mittel mittlere p1 p2 p3 p4`,
  fr: `t tâche T tâches liste_de_tâches n note c carte fiche flashcard carte_mémoire C cartes fiches flashcards cartes_mémoire
    r rappel b étiquette étiquettes label tag p priorité d date échéance date_limite k paquet s liste j projet f dossier x corbeille
    x poubelle e titre nom q question quelque_chose y action modification changement ce_que_tu_viens_de_faire
    > à au aux dans en sur comme pour jusqu'à jusqu'au jusqu'_à jusqu'_au à_la_fin_de à_la_fin_du chez < de d' du des hors_de
    + avec à_partir_de à_partir_du à_partir_d' = intitulée appelée nommée avec_le_titre avec_le_texte disant
    & la le les l' ma mon mes notre cette dernière dernier ; suivante prochaine N une un nouvelle nouveau quelques encore aussi autre
    - s'il_te_plaît s'il_vous_plaît stp svp plutôt z que qu' m moi me i le la les l' ça cela ceci v est sont a ~ doit_s'appeler doit_s'_appeler
    @ peut_attendre est_pour doit_être_pour peut_attendre_jusqu'à o fait faite faites terminée terminé finie fini c'_est_fait c'est_fait
    O à_faire pas_faite pas_fait non_terminée u sans_date sans_échéance n'a_plus_de_date n'_a_plus_de_date n'_a_pas_de_date plus_de_date
    u n'_a_plus_d'_échéance plus_d'_échéance l urgent urgente haute basse plus_haute plus_basse moyenne importante p1 p2 p3 p4`,
  es: `t tarea tarea_nueva T tareas lista_de_tareas n nota nota_nueva c tarjeta tarjeta_nueva ficha flashcard C tarjetas fichas flashcards r recordatorio
    b etiqueta etiquetas tag p prioridad d fecha fecha_límite plazo vencimiento k mazo s lista j proyecto f carpeta x papelera basura
    e título nombre q pregunta algo test examen y cambio acción lo_último lo_que_acabas_de_hacer lo_que_hiciste
    > a al en para hasta como por sobre al_final_de < de del + con a_partir_de = titulada llamada con_el_título con_el_texto
    ; siguiente & la el los las mi mis nuestra último última N una un nueva nuevo unas algunas otra también más - por_favor mejor z que m me i la lo los las eso esto
    v es está están tiene ya_está son ~ debe_llamarse @ puede_esperar puede_esperar_hasta
    o hecho hecha hechos hechas terminada terminado completada completado lista O pendiente sin_hacer no_hecha no_hecho
    u sin_fecha sin_plazo ya_no_tiene_fecha ya_no_tiene_plazo no_tiene_fecha
    l urgente urgentes alta baja media más_alta más_baja importante p1 p2 p3 p4`,
}

/** The levels of a priority by the beginnings of their words, folded. */
const LEVELS: readonly (readonly [number, RegExp])[] = [
  [1, /\b(?:p?1|highest|top|urgent\w*|hochste|dringend|plus haute|mas alta)\b/],
  [4, /\b(?:p?4|low|lowest|niedrig\w*|basse|baja)\b/],
  [2, /\b(?:p?2|high|important\w*|wichtig|hoh?e?r?|hoch|haute|alta)\b/],
  [3, /\b(?:p?3|medium|normal|mittel|mittlere|moyenne|media)\b/],
  [0, /\b(?:p?0|none|no|keine|aucune|ninguna)\b/],
]
/** Reads the level of a priority; null if the words name none. */
export const readLevel = (words: string): number | null =>
  LEVELS.find(([, pattern]) => pattern.test(fold(words).replace(/-/g, ' ')))?.[0] ?? null

/** What words of a language are. */
export interface CommandWords {
  /** Letters by folded words, which may have spaces; those of verbs, and of others. */
  readonly verbs: ReadonlyMap<string, string>
  readonly words: ReadonlyMap<string, string>
  /** Letters of verbs by the verb and its particle: `hak ab`. */
  readonly parted: ReadonlyMap<string, string>
  /** The particles of verbs. */
  readonly particles: ReadonlySet<string>
}

const lexicons = new Map<TimeLanguage, CommandWords>()

export function lexiconOf(language: TimeLanguage): CommandWords {
  const known = lexicons.get(language) ?? compile(language)
  lexicons.set(language, known)
  return known
}

function compile(language: TimeLanguage): CommandWords {
  const verbs = new Map<string, string>()
  const parted = new Map<string, string>()
  const words = new Map<string, string>()
  const add = (to: Map<string, string>, word: string, letter: string) => to.set(word, (to.get(word) ?? '') + letter)
  for (const [letter, word] of listEntries(VERBS[language])) {
    const [stem = '', particle] = word.split('+')
    for (const form of formsOf(stem, language)) {
      if (particle === undefined) add(verbs, keyOf(form, language), letter)
      else add(parted, `${keyOf(form, language)} ${keyOf(particle, language)}`, letter)
    }
  }
  for (const [letter, word] of listEntries(WORDS[language])) add(words, keyOf(word, language), letter)
  return {
    verbs,
    words,
    parted,
    particles: new Set(Array.from(parted.keys(), (key) => key.slice(key.indexOf(' ') + 1))),
  }
}

/** Lists words, each with the letter before it. */
function listEntries(text: string): [string, string][] {
  let letter = ''
  return text.split(/\s+/).flatMap((word): [string, string][] => {
    const isLetter = /^(?:[A-Zb-z]|[^\p{L}\d\s])$/u.test(word)
    if (isLetter) letter = word
    return isLetter ? [] : [[letter, word.replaceAll('_', ' ')]]
  })
}

/** Lists the imperatives and the infinitive of a verb by its stem; phrases and other words are left as they are. */
function formsOf(stem: string, language: TimeLanguage): string[] {
  const root = stem.replace(/[*~]$/, '')
  if (language === 'de' && !stem.includes(' ')) return ['', 'e', 'en', 'n'].map((end) => root + end)
  if (stem.endsWith('*'))
    return (language === 'fr' ? ['e', 'er', 'es', 'ez'] : ['a', 'ar', 'e', 'as', 'es']).map((end) => root + end)
  if (stem.endsWith('~')) return ['e', 'er', 'ir', 'a', 'as'].map((end) => root + end)
  return [stem]
}

/** A word, a sign or a text in quotation marks. */
export interface MessageToken {
  readonly text: string
  readonly start: number
  readonly end: number
}

const TOKEN = /"[^"]*"|#?[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_]|['.\-/](?=[\p{L}\p{N}])|(?<=\d)[:,](?=\d))*|\S/gu
/** Where a token is divided: what belongs to somebody in English, and what French writes together. */
const PARTS: Readonly<Partial<Record<TimeLanguage, RegExp>>> = {
  en: /(?<!^let)(?='s$)/i,
  fr: /(?<=^(?:\p{L}|qu|jusqu)')(?=\p{L})|-(?=(?:moi|toi|le|la|les|lui|nous)$)/iu,
}

/** Divides a text into tokens. */
export function tokenize(text: string, language: TimeLanguage): MessageToken[] {
  return Array.from(text.matchAll(TOKEN), ({ 0: all, index }) => {
    let end = index
    return all.split(PARTS[language] ?? /$^/).map((part): MessageToken => {
      const start = text.indexOf(part, end)
      end = start + part.length
      return { text: part, start, end }
    })
  }).flat()
}

const keyOf = (words: string, language: TimeLanguage): string =>
  words
    .split(' ')
    .flatMap((word) => (/^'|'$/.test(word) ? word : tokenize(word, language).map(({ text }) => text)))
    .map(fold)
    .join(' ')
