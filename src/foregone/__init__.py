from foregone.domain import Domain
from foregone.predicate import Predicate
from foregone.release import Release, Statistic
