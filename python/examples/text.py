"""A hundred words that tell two kinds of messages apart.

    python text.py [FIGURE]

writes text.png unless told otherwise. 4,000 messages are generated from a simple topic model: every message
mixes words of its topic, a few of the other one, words that both share, and a long tail of rare words that
say nothing. tf-idf makes a sparse matrix of them, which is handed to the solver as it is.
"""

from __future__ import annotations

import sys
import time

import matplotlib

matplotlib.use("Agg")  # a file is written, no window is opened

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from sparsvm import SparseSVC
from sparsvm.plotting import WeightsDisplay

SPACE = """orbit rocket launch moon lunar shuttle astronaut satellite telescope planet mars payload booster
thruster cosmic galaxy comet asteroid probe station capsule docking crater solar stellar spacecraft gravity
propulsion trajectory reentry nebula eclipse rover landing module flight crew mission apollo apogee perigee
aurora balloon celestial cosmonaut descent engine equator fuel heliosphere hubble jupiter venus saturn
neptune mercury meteor observatory oxidizer parachute pulsar quasar radiation redshift ring spectrometer
sputnik supernova vacuum voyager weightless zenith universe star altitude antenna""".split()
MEDICINE = """patient doctor clinic dose symptom therapy surgery vaccine infection diagnosis nurse tumour
chronic prescription antibiotic allergy fever pulse cardiac blood pressure hospital ward relapse insulin
diabetes asthma migraine tissue biopsy virus immune remedy treatment side effect trial anaemia artery
bacteria bandage cancer cholesterol cough dental dermatology diet disease enzyme epidemic fracture gene
heart hormone hygiene injury injection kidney liver lung muscle nausea neurology pain pathology pharmacy
physician placebo plasma rash recovery seizure stomach stroke surgeon syndrome tablet throat toxin ulcer
vitamin wound""".split()
SHARED = """the people think know question answer report study paper group data result number year day week
problem system test program cost plan work good new large small long high low first last send read write
line list post mail message article subject reply thanks please help need want make take find
give""".split()


def messages(rng: np.random.Generator, count: int) -> tuple[list[str], np.ndarray]:
    """Texts, and the topic of each."""
    syllables = ["ba", "do", "fi", "ga", "ku", "le", "mo", "ni", "po", "ra", "su", "ti", "vo", "ze"]
    rare = ["".join(rng.choice(syllables, 4)) for _ in range(20_000)]
    lists = [SPACE, MEDICINE, SHARED, rare]
    vocabulary = np.concatenate(lists)
    # Within each list, as in any language, few words are common and many are rare (Zipf).
    zipf = [rng.permutation((2.0 + np.arange(len(words))) ** -0.8) for words in lists]
    shares = [part / part.sum() for part in zipf]
    texts, topics = [], rng.integers(2, size=count)
    for topic in topics:
        # A message may also touch the other topic: no single word settles the matter.
        own, other = rng.uniform(0.04, 0.3), rng.uniform(0.0, 0.1)
        of_space, of_medicine = (own, other) if topic == 0 else (other, own)
        mix = np.array([of_space, of_medicine, 0.5, 0.5 - own - other])
        p = np.concatenate([weight * share for weight, share in zip(mix, shares)])
        texts.append(" ".join(rng.choice(vocabulary, rng.integers(30, 120), p=p / p.sum())))
    return texts, np.where(topics == 0, "space", "medicine")


def main(figure: str) -> None:
    texts, topics = messages(np.random.default_rng(0), 4000)
    train, test, y, y_test = train_test_split(texts, topics, test_size=0.5, random_state=0)

    # tf-idf rows have length 1, so that no scaling is wanted. The squared hinge is LinearSVC's loss too: the
    # comparison is about the penalty. max_features is the best model with at most a hundred words: of the path, and
    # for mcp of a few fits beside it.
    tfidf = TfidfVectorizer(sublinear_tf=True)
    ours = {}
    for penalty in ("mcp", "l1"):
        start = time.perf_counter()
        model = make_pipeline(tfidf, SparseSVC(penalty, loss="squared_hinge", max_features=100)).fit(train, y)
        seconds = time.perf_counter() - start
        svc, vocabulary = model[-1], model[0].get_feature_names_out()
        ours[penalty] = (len(svc.support_), model.score(test, y_test))
        print(f"SparseSVC({penalty}): {ours[penalty][0]} of {len(vocabulary):,} words in {seconds:.1f} s")
        print(f"    accuracy {ours[penalty][1]:.3f}; {svc.status_}, gap {svc.gap_:.1e}")
        topical = sum(word in SPACE or word in MEDICINE for word in vocabulary[svc.support_])
        print(f"    {topical} of the words belong to a topic")

    # LinearSVC penalises by l1 and has no limit on words: C is what there is to turn. With many weak words
    # and none that is strong, expect nothing from a nonconvex penalty: l1 is the right one for such data.
    theirs = []
    for C in np.geomspace(0.05, 5.0, 9):
        svm = LinearSVC(penalty="l1", dual=False, C=C, max_iter=5000, random_state=0)
        l1 = make_pipeline(tfidf, svm).fit(train, y)
        theirs.append((np.count_nonzero(l1[-1].coef_), l1.score(test, y_test)))
        print(f"LinearSVC(l1, C={C:.3g}): {theirs[-1][0]} words, accuracy {theirs[-1][1]:.3f}")

    order = np.argsort(svc.coef_[0])
    for name, ends in ((svc.classes_[1], order[::-1][:8]), (svc.classes_[0], order[:8])):
        print(f"{name}: {', '.join(vocabulary[ends])}")

    picture, (left, right) = plt.subplots(1, 2, figsize=(11, 6.2), layout="constrained")
    WeightsDisplay.from_estimator(model, max_features=25, ax=left)
    right.semilogx(*np.array(theirs).T, ".-", color="#0072B2", label='LinearSVC(penalty="l1"), several C')
    for (penalty, (words, accuracy)), colour in zip(ours.items(), ("#D55E00", "#009E73")):
        right.plot(words, accuracy, "D", color=colour, label=f'SparseSVC("{penalty}", max_features=100)')
    right.set_xticks([10, 30, 100, 300, 1000], labels=["10", "30", "100", "300", "1000"])
    right.minorticks_off()
    right.set(xlabel="words kept", ylabel="accuracy on unseen messages")
    right.spines[["top", "right"]].set_visible(False)
    right.legend(frameon=False)
    picture.savefig(figure, dpi=120)
    print(f"figure: {figure}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "text.png")
